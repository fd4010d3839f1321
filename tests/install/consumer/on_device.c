/* Links the timer and the operator for CUDA devices. */
#include <stdio.h>

#include <reverse_a2a/cuda.h>
#include <tutti/cuda.h>

int main(void)
{
    size_t bytes = 0;
    const struct reverse_a2a_shape shape = {.s = 4, .h = 2, .d = 8, .element_size = 2};
    const struct reverse_a2a_cuda_choice choice = {
        .engine = REVERSE_A2A_CUDA_PUSH, .grid = 4, .block = 256, .vector = 16};
    int error = reverse_a2a_cuda_memory_bytes(&shape, &choice, 2, &bytes);
    printf("timer %s; %s\n", tutti_cuda_timer_ops()->name, reverse_a2a_strerror(error));
    return error ? 1 : 0;
}
