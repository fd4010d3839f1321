// <tutti/tutti.hpp>: the table, groups, launchers, and exceptions, which never cross frames of C.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <tutti/tutti.hpp>

static thread_local long allocations;

void *operator new(std::size_t size)
{
    allocations++;
    if (void *memory = std::malloc(size ? size : 1))
        return memory;
    throw std::bad_alloc();
}

void operator delete(void *memory) noexcept
{
    std::free(memory);
}

void operator delete(void *memory, std::size_t) noexcept
{
    std::free(memory);
}

namespace
{

int failures;

void check(bool good, const char *what, int line)
{
    if (good)
        return;
    failures++;
    std::cerr << "test_cxx.cpp:" << line << ": " << what << "\n";
}
#define CHECK(condition) check(condition, #condition, __LINE__)

// The space of docs/spaces.md.
enum class engine { push, staged };

struct config {
    engine way;
    const char *order;
    struct {
        int rows, columns;
    } tile;
    int slots;
    double share;
};

constexpr tutti_choice ways[] = {tutti::choice(engine::push, "push"),
                                 tutti::choice(engine::staged, "staged")};
constexpr engine staged[] = {engine::staged};
constexpr tutti_condition when_staged = TUTTI_WHEN_OF(config, way, staged);
constexpr const char *orders[] = {"ring", "shift"};
constexpr int rows[] = {32, 64}, slots[] = {2, 3, 4};
constexpr double shares[] = {0.1};

constexpr tutti_param params[] = {
    TUTTI_CHOICE_OF(config, way, ways),
    tutti::only(TUTTI_PARAM_OF(config, slots, slots), when_staged),
    TUTTI_PARAM_OF(config, order, orders),
    TUTTI_PARAM_OF(config, tile.rows, rows),
    TUTTI_PARAM_OF(config, share, shares),
};

// A clock of each thread's own, which a run moves on.
thread_local double now, begin;

int start(void *)
{
    begin = now;
    return 0;
}

int stop(void *, double *seconds)
{
    *seconds = now - begin;
    return 0;
}

tutti_timer_ops simulated()
{
    tutti_timer_ops timer{};
    timer.size = sizeof timer;
    timer.name = "simulated";
    timer.start = start;
    timer.stop = stop;
    return timer;
}
const tutti_timer_ops timer = simulated();

template <std::size_t N> tutti_tuner_desc describe(const char *name, const tutti_param (&table)[N])
{
    tutti_tuner_desc desc = tutti::describe(name, TUTTI_SOURCE_ID, table);
    desc.policy = TUTTI_POLICY_EXHAUSTIVE;
    desc.timer = &timer;
    return desc;
}

struct arguments {
    std::int64_t n = 0;
    int final_runs = 0;
    bool throws = false;
};

// Staged, with 3 slots and 64 rows, is the fastest: each rank by another figure.
double cost(const config &c, int rank)
{
    const double base = c.way == engine::staged && c.slots == 3 ? 1 : 2;
    return base + (c.tile.rows == 64 ? 0 : 0.25) + (std::strcmp(c.order, "ring") == 0 ? 0.1 : 0) +
           0.01 * rank;
}

struct launcher {
    using config = ::config;
    using args = arguments;

    void key(tutti_key *key, const arguments &with) const
    {
        if (with.n < 0)
            throw std::out_of_range("n is negative");
        tutti_key_integer(key, "n", with.n);
    }
    bool prune(const config &c, const arguments &with) const
    {
        return c.tile.rows <= with.n;
    }
    int run(arguments &with, const config &c, const tutti_context &context)
    {
        const bool final = context.purpose == TUTTI_PURPOSE_FINAL;
        now += cost(c, tutti_group_rank(context.group));
        with.final_runs += final;
        if (with.throws)
            throw std::runtime_error("the bus is full");
        if (!final && c.slots == 4 && tutti_group_rank(context.group) == 0)
            throw std::length_error("4 slots do not fit");
        return 0;
    }
};

void the_table_is_that_of_c()
{
    tutti::tuner<launcher> tuner(describe("table", params), launcher{});
    CHECK(tuner.size() == (1 + 3) * 2 * 2);
    CHECK(tuner.text(0) == "way=push, order=ring, tile.rows=32, share=0.10000000000000001");
    CHECK(tuner.text(15) ==
          "way=staged, slots=4, order=shift, tile.rows=64, share=0.10000000000000001");
    CHECK(params[1].kind == TUTTI_KIND_I32 && params[1].offset == offsetof(config, slots));
    CHECK(params[2].kind == TUTTI_KIND_STRING && params[4].kind == TUTTI_KIND_F64);
}

void threads_tune_and_agree_on_the_best()
{
    constexpr int ranks = 3;
    std::vector<tutti::group> groups = tutti::group::threads(ranks);
    tutti::tuner<launcher> tuner(describe("threads", params), launcher{});
    std::vector<std::string> errors(ranks);
    std::vector<const config *> best(ranks);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < ranks; i++)
        threads.emplace_back([&, i] {
            arguments with{64};
            try {
                tuner.call(with, groups[i]);
                best[i] = tuner.best(with, groups[i]);
                const tutti_report report = tuner.report(with, groups[i]);
                // Configuration 12 has 4 slots: rank 0 threw, and all ranks know what.
                if (!std::strstr(report.trials[12].reason, "4 slots do not fit"))
                    errors[i] = report.trials[12].reason;
            } catch (const std::exception &exception) {
                errors[i] = exception.what();
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    for (std::size_t i = 0; i < ranks; i++) {
        CHECK(errors[i].empty());
        CHECK(groups[i].rank() == static_cast<int>(i) && groups[i].ranks() == ranks);
        CHECK(best[i] && best[i]->way == engine::staged && best[i]->slots == 3);
        CHECK(best[i] && best[i]->tile.rows == 64 && std::string(best[i]->order) == "shift");
    }
}

// What is nested in an error; "" if nothing is.
std::string nested(const std::exception &failure)
{
    try {
        std::rethrow_if_nested(failure);
    } catch (const std::exception &inner) {
        return inner.what();
    }
    return "";
}

void an_exception_comes_out_nested_in_the_error()
{
    const tutti::group group = tutti::group::serial();
    tutti::tuner<launcher> tuner(describe("exceptions", params), launcher{});
    arguments bad{-1}, good{32}, failing{48};
    failing.throws = true;
    int caught = 0;
    try {
        tuner.call(bad, group);
    } catch (const tutti::error &failure) {
        caught += failure.code() == TUTTI_ERR_KEY && nested(failure) == "n is negative";
    }
    try {
        tuner.call(failing, group); // every configuration throws in the search
    } catch (const tutti::error &failure) {
        caught += failure.code() == TUTTI_ERR_FAILED && nested(failure) == "the bus is full" &&
                  std::strstr(failure.what(), "the bus is full");
    }
    tuner.call(good, group);
    good.throws = true;
    try {
        tuner.call(good, group); // a hit
    } catch (const tutti::error &failure) {
        caught += failure.code() == TUTTI_ERR_RUN && nested(failure) == "the bus is full";
    }
    try {
        tuner.bind(good, group)(good);
    } catch (const std::runtime_error &failure) {
        caught += std::string(failure.what()) == "the bus is full";
    }
    good.throws = false;
    tuner.call(good, group);
    arguments unknown{77}; // the sentence of the call that failed is not that of a look
    try {
        tuner.report(unknown, group);
    } catch (const tutti::error &failure) {
        caught += failure.code() == TUTTI_ERR_MISS && nested(failure).empty() &&
                  std::string(failure.what()) == tutti_strerror(TUTTI_ERR_MISS);
    }
    CHECK(caught == 5);
    CHECK(!tuner.best(unknown, group));
}

void a_hit_and_a_bound_launch_allocate_nothing()
{
    const tutti::group group = tutti::group::serial();
    tutti::tuner<launcher> tuner(describe("hits", params), launcher{});
    arguments with{64};
    tuner.call(with, group);
    const auto bound = tuner.bind(with, group);
    const long before = allocations;
    with.final_runs = 0;
    for (int i = 0; i < 100; i++) {
        tuner.call(with, group);
        bound(with);
    }
    CHECK(allocations == before);
    CHECK(with.final_runs == 200);
}

// Every callback, counted; prepare refuses what the constraint left of 2 slots.
struct whole_launcher {
    using config = ::config;
    using args = arguments;
    struct counts {
        int buffers, setup, teardown, prepare, release, reset, verify;
    };
    counts *seen;

    void buffers(tutti_buffers *list, arguments &with) const
    {
        seen->buffers++;
        tutti_buffer_inout(list, "final runs", &with.final_runs, sizeof with.final_runs);
    }
    bool constraint(const config &c) const
    {
        if (c.share > 1)
            throw std::domain_error("more than all");
        return c.slots < 4;
    }
    int setup(arguments &, const tutti_context &)
    {
        return seen->setup++, 0;
    }
    void teardown(arguments &, const tutti_context &)
    {
        seen->teardown++;
    }
    int prepare(arguments &, const config &c, const tutti_context &)
    {
        return seen->prepare++, c.way == engine::staged && c.slots == 2;
    }
    void release(const config &, const tutti_context &)
    {
        seen->release++;
    }
    int reset(arguments &, const config &, const tutti_context &)
    {
        return seen->reset++, 0;
    }
    int run(arguments &, const config &c, const tutti_context &)
    {
        return now += cost(c, 0), 0;
    }
    int verify(arguments &, const config &, const tutti_context &)
    {
        return seen->verify++, TUTTI_VERDICT_OK;
    }
};

void every_callback_is_called()
{
    whole_launcher::counts seen{};
    {
        const tutti::group group = tutti::group::serial();
        tutti::tuner<whole_launcher> tuner(describe("whole", params), whole_launcher{&seen});
        CHECK(tuner.size() == (1 + 2) * 2 * 2);
        arguments with;
        tuner.call(with, group);
        CHECK(tuner.best(with, group)->slots == 3);
        CHECK(seen.setup == 1 && seen.teardown == 1);
        CHECK(seen.prepare == 12 + 1 && seen.release == 8);
        CHECK(seen.reset > 0 && seen.verify > 0);
        CHECK(seen.buffers == 1);
    }
    CHECK(seen.release == 9); // the chosen one, at the tuner's end
}

void what_is_known_is_listed_and_forgotten()
{
    whole_launcher::counts seen{};
    const tutti::group group = tutti::group::serial();
    tutti::tuner<whole_launcher> tuner(describe("whole", params), whole_launcher{&seen});
    arguments with;
    config forced{};
    CHECK(tutti_configuration(tuner.get(), 1, &forced) == TUTTI_SUCCESS);
    tutti_call_options options{};
    options.size = sizeof options;
    options.force = &forced;
    tuner.call(with, group, &options);
    tuner.tune(with, group);
    int sources[2] = {}, n = 0;
    tuner.enumerate(group,
                    [&](const tutti_entry &entry) { sources[n++ % 2] = entry.report->source; });
    CHECK(n == 2);
    CHECK(sources[0] == TUTTI_SOURCE_SEARCH && sources[1] == TUTTI_SOURCE_FORCED_CODE);
    bool thrown = false;
    try {
        tuner.enumerate(group, [](const tutti_entry &) { throw std::domain_error("enough"); });
    } catch (const std::domain_error &) {
        thrown = true;
    }
    CHECK(thrown);
    const int released = seen.release;
    tuner.forget(with, group);
    CHECK(seen.release == released + 2);
    CHECK(tuner.best(with, group) == nullptr);
}

void what_a_constraint_throws_comes_out_of_the_constructor()
{
    constexpr static double too_much[] = {0.5, 2.0};
    constexpr static tutti_param table[] = {TUTTI_PARAM_OF(config, share, too_much)};
    whole_launcher::counts seen{};
    bool caught = false, refused = false;
    try {
        tutti::tuner<whole_launcher> tuner(describe("constraint", table), whole_launcher{&seen});
    } catch (const std::domain_error &) {
        caught = true;
    }
    CHECK(caught);
    constexpr static tutti_param twice[] = {table[0], table[0]};
    try {
        tutti::tuner<whole_launcher> tuner(describe("twice", twice), whole_launcher{&seen});
    } catch (const tutti::error &failure) {
        refused = failure.code() == TUTTI_ERR_SPACE &&
                  std::string(failure.what()) == "parameters 0 and 1 are both named share";
    }
    CHECK(refused);
}

void lambdas_are_launchers_and_tuners_move()
{
    const tutti::group group = tutti::group::serial();
    int runs = 0;
    auto lambdas = tutti::from_lambdas<config, arguments>(
        [](tutti_key *key, const arguments &with) { tutti_key_integer(key, "n", with.n); },
        [](const config &c, const arguments &) { return c.way == engine::push; },
        [&runs](arguments &, const config &c, const tutti_context &) {
            runs++;
            now += cost(c, 0);
            return 0;
        });
    tutti::tuner first(describe("lambdas", params), std::move(lambdas));
    tutti::tuner second = std::move(first);
    arguments with{5};
    second.tune(with, group);
    CHECK(runs > 0);
    const int searched = runs;
    second.call(with, group);
    CHECK(runs == searched + 1);
    CHECK(second.best(with, group)->way == engine::push);
    const int status = second.with_c_args(
        with, [&](void *c_args) { return tutti_call(second.get(), c_args, group.get(), nullptr); });
    CHECK(status == TUTTI_SUCCESS && runs == searched + 2);
}

constexpr tutti_param listed[] = {TUTTI_FIELD_OF(config, slots), TUTTI_FIELD_OF(config, tile.rows)};

void a_list_of_configurations_is_the_space()
{
    config list[2] = {};
    list[0].slots = 3;
    list[0].tile.rows = 128;
    list[1].slots = 2;
    tutti_tuner_desc desc = describe("listed", listed);
    desc.configurations = list;
    desc.nconfigurations = 2;
    tutti::tuner<launcher> tuner(desc, launcher{});
    CHECK(tuner.size() == 2);
    CHECK(tuner.text(0) == "slots=3, tile.rows=128");
    CHECK(tuner.text(1) == "slots=2, tile.rows=0");
}

struct owning_launcher {
    using config = ::config;
    using args = arguments;
    std::shared_ptr<int> released;

    int run(arguments &, const config &c, const tutti_context &)
    {
        now += cost(c, 0);
        return 0;
    }
    int prepare(arguments &, const config &, const tutti_context &)
    {
        return 0;
    }
    void release(const config &, const tutti_context &)
    {
        ++*released;
    }
};

void a_tuner_that_is_replaced_releases_by_its_own_launcher()
{
    const tutti::group group = tutti::group::serial();
    const auto old = std::make_shared<int>(0), other = std::make_shared<int>(0);
    tutti::tuner<owning_launcher> tuner(describe("old", params), owning_launcher{old});
    arguments with{1};
    tuner.tune(with, group);
    const int before = *old;
    tuner = tutti::tuner<owning_launcher>(describe("other", params), owning_launcher{other});
    CHECK(*old == before + 1 && old.use_count() == 1);
    tuner.tune(with, group);
    CHECK(*other > 0 && other.use_count() == 2);
}

} // namespace

int main()
{
    std::string store = std::filesystem::temp_directory_path() / "tutti-test-XXXXXX";
    if (!mkdtemp(store.data()))
        return 1;
    setenv("TUTTI_CACHE_DIR", store.c_str(), 1);
    setenv("TUTTI_ALWAYS_TUNE", "1", 1);
    the_table_is_that_of_c();
    threads_tune_and_agree_on_the_best();
    an_exception_comes_out_nested_in_the_error();
    a_hit_and_a_bound_launch_allocate_nothing();
    every_callback_is_called();
    what_is_known_is_listed_and_forgotten();
    what_a_constraint_throws_comes_out_of_the_constructor();
    lambdas_are_launchers_and_tuners_move();
    a_list_of_configurations_is_the_space();
    a_tuner_that_is_replaced_releases_by_its_own_launcher();
    std::filesystem::remove_all(store);
    return failures != 0;
}
