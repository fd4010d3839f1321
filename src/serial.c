/* The group of one rank: what it reduces and broadcasts is already where it belongs. */
#include <tutti/error.h>
#include <tutti/group.h>

static int serial_reduce_max(void *self, uint64_t *words, size_t n, tutti_wait *wait)
{
    (void)self, (void)words, (void)n, (void)wait;
    return TUTTI_SUCCESS;
}

static int serial_broadcast(void *self, void *bytes, size_t n, int root, tutti_wait *wait)
{
    (void)self, (void)bytes, (void)n, (void)root, (void)wait;
    return TUTTI_SUCCESS;
}

static void serial_release(void *self, bool broken)
{
    (void)self, (void)broken;
}

int tutti_group_create_serial(tutti_group **group)
{
    static const tutti_group_ops ops = {.size = sizeof(tutti_group_ops),
                                        .kind = "serial",
                                        .reduce_max = serial_reduce_max,
                                        .broadcast = serial_broadcast,
                                        .release = serial_release};
    const tutti_group_desc desc = {
        .size = sizeof(tutti_group_desc), .ops = &ops, .rank = 0, .ranks = 1};
    return tutti_group_create(&desc, group);
}
