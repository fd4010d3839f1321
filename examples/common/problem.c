/* See problem.h. */
#include "problem.h"

#include <inttypes.h>
#include <stdio.h>

#include "verify.h"

static bool compute_expected(struct problem *problem)
{
    struct tensors *tensors = &problem->tensors;
    int result =
        reverse_a2a_reference_create(problem->team.comm, &problem->shape, &problem->reference);
    if (!team_agree(&problem->team, !result, "%s: making the reference: %s", problem->name,
                    reverse_a2a_strerror(result)))
        return false;
    result = reverse_a2a_reference_execute(problem->reference, tensors->a, tensors->expected);
    return team_agree(&problem->team, !result, "%s: running the reference: %s", problem->name,
                      reverse_a2a_strerror(result));
}

bool problem_begin(struct problem *problem, const struct reverse_a2a_shape *shape)
{
    problem->shape = *shape;
    problem->reference = NULL;
    snprintf(problem->name, sizeof problem->name, "S=%" PRId64 " H=%" PRId64 " D=%" PRId64 " %s",
             shape->s, shape->h, shape->d, problem->dtype);
    launcher_set_shape(&problem->launcher, shape);
    const bool allocated = tensors_allocate(&problem->tensors, shape, problem->team.ranks);
    if (!team_agree(&problem->team, allocated, "%s: there is no memory for the arrays",
                    problem->name))
        return false;
    tensors_fill(&problem->tensors, problem->team.rank);
    return compute_expected(problem);
}

bool problem_reserve(struct problem *problem, size_t bytes)
{
    const int result = launcher_reserve(&problem->launcher, problem->team.comm, bytes);
    return team_agree(&problem->team, !result, "%s: %zu bytes of symmetric memory: %s",
                      problem->name, bytes, reverse_a2a_strerror(result));
}

int problem_launch(struct problem *problem, const struct reverse_a2a_config *blocks)
{
    return launcher_run(&problem->launcher, blocks, problem->tensors.a, problem->tensors.c);
}

bool problem_verify(struct problem *problem, const char *what, int result)
{
    const struct team *team = &problem->team;
    if (!team_agree(team, !result, "%s: %s: %s", problem->name, what, reverse_a2a_strerror(result)))
        return false;
    struct wrong_element wrong = {0};
    const bool right = verify(&problem->tensors, &problem->shape, team->ranks, &wrong);
    return team_agree(team, right,
                      "%s: %s: wrong result: the first wrong element is s=%" PRId64 " head=%" PRId64
                      " d=%" PRId64 ": got 0x%0*" PRIx64 ", expected 0x%0*" PRIx64,
                      problem->name, what, wrong.s, wrong.head, wrong.d,
                      2 * (int)problem->shape.element_size, wrong.got,
                      2 * (int)problem->shape.element_size, wrong.expected);
}

void problem_end(struct problem *problem)
{
    reverse_a2a_reference_destroy(problem->reference);
    problem->reference = NULL;
    tensors_free(&problem->tensors);
}
