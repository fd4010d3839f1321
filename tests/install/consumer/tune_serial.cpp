// C++17 without MPI: the plain table of parameters, a group of one rank, and a clock of its own.
#include <cstdio>

#include <tutti/tutti.h>

namespace
{

struct knobs {
    int block;
    bool unroll;
};

constexpr int blocks[] = {8, 16, 32};
constexpr bool unrolls[] = {false, true};

tutti_param parameter(const char *name, int32_t kind, size_t offset, size_t size,
                      const void *values, size_t count)
{
    tutti_param param{};
    param.name = name;
    param.kind = kind;
    param.offset = offset;
    param.size = size;
    param.values = values;
    param.count = count;
    return param;
}

int start(void *self)
{
    *static_cast<double *>(self) = 0;
    return 0;
}

int stop(void *self, double *seconds)
{
    *seconds = *static_cast<double *>(self);
    return 0;
}

// Fastest with 16, unrolled.
int run(void *args, const void *config, const tutti_context *)
{
    const auto *chosen = static_cast<const knobs *>(config);
    double cost = chosen->block == 16 ? 1e-3 : 2e-3;
    *static_cast<double *>(args) += chosen->unroll ? cost / 2 : cost;
    return 0;
}

int choose(tutti_group *group)
{
    double clock = 0;
    tutti_timer_ops timer{};
    timer.size = sizeof timer;
    timer.name = "counted";
    timer.start = start;
    timer.stop = stop;

    const tutti_param params[] = {
        parameter("block", TUTTI_KIND_I32, offsetof(knobs, block), sizeof(int), blocks, 3),
        parameter("unroll", TUTTI_KIND_BOOL, offsetof(knobs, unroll), sizeof(bool), unrolls, 2),
    };
    tutti_tuner_desc desc{};
    desc.size = sizeof desc;
    desc.name = "consumer_cxx";
    desc.source_id = TUTTI_SOURCE_ID;
    desc.params = params;
    desc.nparams = 2;
    desc.config_size = sizeof(knobs);
    desc.run = run;
    desc.timer = &timer;
    desc.timer_self = &clock;

    tutti_tuner *tuner;
    if (tutti_tuner_create(&desc, &tuner) != TUTTI_SUCCESS)
        return 1;
    int error = tutti_call(tuner, &clock, group, nullptr);
    if (error)
        std::fprintf(stderr, "%s\n", tutti_message(tuner, group));
    const auto *best = static_cast<const knobs *>(tutti_best(tuner, &clock, group));
    bool right = !error && best && best->block == 16 && best->unroll;
    std::printf("block %d, unroll %d%s\n", best ? best->block : 0, best && best->unroll,
                right ? "" : ": WRONG");
    tutti_tuner_destroy(tuner);
    return right ? 0 : 1;
}

} // namespace

int main()
{
    tutti_group *group;
    if (tutti_group_create_serial(&group) != TUTTI_SUCCESS)
        return 1;
    int status = choose(group);
    tutti_group_release(group);
    return status;
}
