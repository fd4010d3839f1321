/*
 * tutti for C++17: header-only, on top of the C interface, which stays usable beside it.
 *
 *     constexpr int blocks[] = {32, 64, 128};
 *     constexpr tutti_param params[] = {TUTTI_PARAM_OF(config, block, blocks)};
 *
 *     tutti::tuner<launcher> tuner(tutti::describe("gemm", TUTTI_SOURCE_ID, params), launcher{});
 *     tuner.call(args, group);       the first call tunes, or reads the record; all run
 *
 * Exceptions never cross the frames of C. A callback that throws counts as one that returned
 * tutti::threw: what() goes to where the launcher's own words go, all ranks agree that it failed,
 * and the error that the caller gets has the exception nested in it. What C gives no way to fail,
 * must not throw: prune, teardown, release and on_stall; std::terminate is called. A hit allocates
 * nothing.
 */
#ifndef TUTTI_TUTTI_HPP
#define TUTTI_TUTTI_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tutti/tutti.h>

namespace tutti
{

/* What a callback that threw is taken to have returned. */
constexpr int threw = -1;

/* A failure of the C interface: code() is an enum tutti_error, what() its sentence. */
class error : public std::runtime_error
{
  public:
    error(int code, const std::string &sentence)
        : std::runtime_error(sentence.empty() ? tutti_strerror(code) : sentence), code_(code)
    {
    }
    int code() const noexcept
    {
        return code_;
    }

  private:
    int code_;
};

/* ---- the table of parameters ---- */

namespace detail
{

template <class T> constexpr std::int32_t kind_of()
{
    if constexpr (std::is_enum_v<T>) {
        return kind_of<std::underlying_type_t<T>>();
    } else {
        constexpr bool whole = std::is_integral_v<T> && !std::is_same_v<T, bool>;
        constexpr std::int32_t kind =
            std::is_same_v<T, bool>                            ? TUTTI_KIND_BOOL
            : std::is_same_v<T, double>                        ? TUTTI_KIND_F64
            : std::is_same_v<T, const char *>                  ? TUTTI_KIND_STRING
            : whole && std::is_signed_v<T> && sizeof(T) == 4   ? TUTTI_KIND_I32
            : whole && std::is_unsigned_v<T> && sizeof(T) == 4 ? TUTTI_KIND_U32
            : whole && std::is_signed_v<T> && sizeof(T) == 8   ? TUTTI_KIND_I64
                                                               : 0;
        static_assert(kind != 0, "a field of this type can't be tuned");
        return kind;
    }
}

template <class Config, class Field>
constexpr tutti_param knob(const char *name, std::size_t offset)
{
    static_assert(std::is_standard_layout_v<Config>, "a configuration is a plain struct");
    tutti_param param{};
    param.name = name;
    param.kind = kind_of<Field>();
    param.offset = offset;
    param.size = sizeof(Field);
    return param;
}

template <class Config, class Field, class Value, std::size_t N>
constexpr tutti_param param(const char *name, std::size_t offset, const Value (&values)[N])
{
    static_assert(std::is_same_v<Field, Value>, "the values are not of the field's type");
    tutti_param result = knob<Config, Field>(name, offset);
    result.values = values;
    result.count = N;
    return result;
}

template <class Config, class Field, std::size_t N>
constexpr tutti_param choices(const char *name, std::size_t offset, const tutti_choice (&values)[N])
{
    static_assert(std::is_enum_v<Field> || std::is_integral_v<Field>, "choices are integers");
    tutti_param result = knob<Config, Field>(name, offset);
    result.choices = values;
    result.count = N;
    return result;
}

template <class Field, class Value, std::size_t N>
constexpr tutti_condition condition(const char *name, const Value (&values)[N])
{
    static_assert(std::is_same_v<Field, Value>, "the values are not of the field's type");
    tutti_condition result{};
    result.param = name;
    result.values = values;
    result.count = N;
    return result;
}

} // namespace detail

/*
 * One entry of a constexpr table each, as TUTTI_PARAM, TUTTI_CHOICE, TUTTI_FIELD and TUTTI_WHEN are
 * in C; values and choices are named arrays with static storage, of the field's type and of
 * tutti_choice.
 */
#define TUTTI_PARAM_OF(type, field, values)                                                        \
    ::tutti::detail::param<type, decltype(std::declval<type &>().field)>(                          \
        #field, offsetof(type, field), values)
#define TUTTI_CHOICE_OF(type, field, choice_array)                                                 \
    ::tutti::detail::choices<type, decltype(std::declval<type &>().field)>(                        \
        #field, offsetof(type, field), choice_array)
#define TUTTI_FIELD_OF(type, field)                                                                \
    ::tutti::detail::knob<type, decltype(std::declval<type &>().field)>(#field,                    \
                                                                        offsetof(type, field))
#define TUTTI_WHEN_OF(type, field, values)                                                         \
    ::tutti::detail::condition<decltype(std::declval<type &>().field)>(#field, values)

/* A named value of an integer or an enum, scoped or not. */
template <class Value> constexpr tutti_choice choice(Value value, const char *name)
{
    return {static_cast<std::int64_t>(value), name};
}

/* The knob, which counts only under a condition; that one is a named constant of static storage. */
constexpr tutti_param only(tutti_param param, const tutti_condition &condition)
{
    param.condition = &condition;
    return param;
}

/* A description with what every tuner needs, for the caller to add to. tuner sets config_size, the
 * callbacks, user and message. */
template <std::size_t N>
tutti_tuner_desc describe(const char *name, const char *source_id, const tutti_param (&params)[N])
{
    tutti_tuner_desc desc{};
    desc.size = sizeof desc;
    desc.name = name;
    desc.source_id = source_id;
    desc.params = params;
    desc.nparams = N;
    return desc;
}

/* ---- groups ---- */

/* One ownership of a group, given back at the end of its life: for an MPI group before
 * MPI_Finalize. */
class group
{
  public:
    /* Takes an ownership over, such as the one that tutti_group_create_mpi gives. */
    explicit group(tutti_group *taken) noexcept : group_(taken)
    {
    }

    static group serial()
    {
        tutti_group *made = nullptr;
        check(tutti_group_create_serial(&made));
        return group(made);
    }

    /* One group for each of `ranks` threads: see <tutti/threads.h>. */
    static std::vector<group> threads(int ranks)
    {
        std::vector<tutti_group *> made(ranks > 0 ? static_cast<std::size_t>(ranks) : 1);
        std::vector<group> groups;
        groups.reserve(made.size());
        check(tutti_group_create_threads(ranks, made.data()));
        for (tutti_group *one : made)
            groups.emplace_back(one);
        return groups;
    }

    tutti_group *get() const noexcept
    {
        return group_.get();
    }
    int rank() const noexcept
    {
        return tutti_group_rank(get());
    }
    int ranks() const noexcept
    {
        return tutti_group_ranks(get());
    }

  private:
    struct give_back {
        void operator()(tutti_group *group) const noexcept
        {
            tutti_group_release(group);
        }
    };
    static void check(int status)
    {
        if (status != TUTTI_SUCCESS)
            throw error(status, "");
    }
    std::unique_ptr<tutti_group, give_back> group_;
};

/* ---- launchers ---- */

/*
 * A launcher is an object with the types config and args, and the callbacks as members:
 *
 *     int  run       (args &, const config &, const tutti_context &);
 *
 * and those of these that it needs, with the meaning that <tutti/tuner.h> gives them:
 *
 *     void key       (tutti_key *, const args &) const;
 *     bool prune     (const config &, const args &) const;
 *     bool constraint(const config &) const;
 *     void buffers   (tutti_buffers *, args &) const;
 *     int  setup     (args &, const tutti_context &);
 *     void teardown  (args &, const tutti_context &);
 *     int  prepare   (args &, const config &, const tutti_context &);
 *     void release   (const config &, const tutti_context &);
 *     int  reset     (args &, const config &, const tutti_context &);
 *     int  verify    (args &, const config &, const tutti_context &);
 *     void on_stall  (const char *message);
 *
 * from_lambdas makes one of two or three functions.
 */
template <class Config, class Args, class Key, class Prune, class Run> struct lambdas {
    using config = Config;
    using args = Args;
    Key key;
    Prune prune;
    Run run;
};

struct keep_all {
    template <class Config, class Args> bool operator()(const Config &, const Args &) const noexcept
    {
        return true;
    }
};

template <class Config, class Args, class Key, class Run> auto from_lambdas(Key key, Run run)
{
    return lambdas<Config, Args, Key, keep_all, Run>{std::move(key), {}, std::move(run)};
}

template <class Config, class Args, class Key, class Prune, class Run>
auto from_lambdas(Key key, Prune prune, Run run)
{
    return lambdas<Config, Args, Key, Prune, Run>{std::move(key), std::move(prune), std::move(run)};
}

namespace detail
{

/* What tutti_call is given as args: an exception finds its way round the frames of C in here. */
template <class Args> struct frame {
    Args *args;
    mutable std::exception_ptr caught;
};

/*
 * has_prune<Launcher>::value: whether it has a member of that name, whatever its signature, so that
 * one with a wrong signature does not compile rather than go unused. Both bases having the name
 * makes it ambiguous.
 */
#define TUTTI_DETAIL_MEMBER(name)                                                                  \
    template <class L> struct has_##name {                                                         \
        struct other {                                                                             \
            int name;                                                                              \
        };                                                                                         \
        struct both : L, other {                                                                   \
        };                                                                                         \
        template <class T> static std::false_type find(decltype(&T::name) *);                      \
        template <class T> static std::true_type find(...);                                        \
        static constexpr bool value = decltype(find<both>(nullptr))::value;                        \
    }
TUTTI_DETAIL_MEMBER(key);
TUTTI_DETAIL_MEMBER(prune);
TUTTI_DETAIL_MEMBER(constraint);
TUTTI_DETAIL_MEMBER(buffers);
TUTTI_DETAIL_MEMBER(setup);
TUTTI_DETAIL_MEMBER(teardown);
TUTTI_DETAIL_MEMBER(prepare);
TUTTI_DETAIL_MEMBER(release);
TUTTI_DETAIL_MEMBER(reset);
TUTTI_DETAIL_MEMBER(verify);
TUTTI_DETAIL_MEMBER(on_stall);
#undef TUTTI_DETAIL_MEMBER

} // namespace detail

/* ---- tuners ---- */

/* Owns the C tuner and the launcher, which stays where it is when a tuner is moved. Used as the C
 * tuner is: several groups, also from several threads; then the launcher is called by all of them.
 */
template <class Launcher> class tuner
{
  public:
    using config = typename Launcher::config;
    using args = typename Launcher::args;

    /* Local. Throws tutti::error, or what the launcher's constraint threw. */
    tuner(tutti_tuner_desc desc, Launcher launcher)
        : state_(new state{std::move(launcher), nullptr})
    {
        char message[512] = "";
        tutti_tuner *made = nullptr;
        desc.size = sizeof desc;
        desc.config_size = sizeof(config);
        desc.user = state_.get();
        desc.message = message;
        desc.message_size = sizeof message;
        set_callbacks(desc);
        const int status = tutti_tuner_create(&desc, &made);
        tuner_.reset(made);
        if (state_->caught)
            std::rethrow_exception(state_->caught);
        if (status != TUTTI_SUCCESS)
            throw error(status, message);
    }

    tuner(tuner &&) noexcept = default;
    tuner &operator=(tuner &&other) noexcept
    {
        tuner_ = std::move(other.tuner_); /* the old one's end calls the old launcher's release */
        state_ = std::move(other.state_);
        return *this;
    }

    /* tutti_call. Throws tutti::error, with the launcher's own exception nested if it threw. */
    void call(args &with, const group &group, const tutti_call_options *options = nullptr)
    {
        const frame own{&with, nullptr};
        check(tutti_call(get(), as_c(own), group.get(), options), own, group);
    }

    /* tutti_tune. Throws as call does. */
    void tune(args &with, const group &group, const tutti_call_options *options = nullptr)
    {
        const frame own{&with, nullptr};
        check(tutti_tune(get(), as_c(own), group.get(), options), own, group);
    }

    /* tutti_forget. Throws tutti::error. */
    void forget(const args &with, const group &group, unsigned flags = 0)
    {
        const frame own{const_cast<args *>(&with), nullptr};
        check(tutti_forget(get(), &own, group.get(), flags), own, group);
    }

    /* tutti_enumerate: each(const tutti_entry &). Throws tutti::error, and what each threw first.
     */
    template <class Each> void enumerate(const group &group, Each each) const
    {
        struct visit {
            Each &each;
            std::exception_ptr caught;
        } visit{each, nullptr};
        const auto one = [](const tutti_entry *entry, void *user) noexcept {
            auto &own = *static_cast<struct visit *>(user);
            try {
                if (!own.caught)
                    own.each(*entry);
            } catch (...) {
                own.caught = std::current_exception();
            }
        };
        const int status = tutti_enumerate(get(), group.get(), one, &visit);
        if (visit.caught)
            std::rethrow_exception(visit.caught);
        if (status != TUTTI_SUCCESS)
            throw error(status, "");
    }

    /* tutti_best: the tuner's, or nullptr. */
    const config *best(const args &with, const group &group) const
    {
        const frame own{const_cast<args *>(&with), nullptr};
        return static_cast<const config *>(tutti_best(get(), &own, group.get()));
    }

    /* tutti_report_get. Throws tutti::error. */
    tutti_report report(const args &with, const group &group) const
    {
        tutti_report result{};
        result.size = sizeof result;
        const frame own{const_cast<args *>(&with), nullptr};
        check(tutti_report_get(get(), &own, group.get(), &result), own, "");
        return result;
    }

    /* A launch with everything decided. Valid as long as tuner and group. */
    class bound
    {
      public:
        /* Runs it; returns the launcher's status, or throws what the launcher threw. */
        int operator()(args &with) const
        {
            frame own{&with, nullptr};
            const int status = tutti_bound_launch(&bound_, &own);
            if (own.caught)
                std::rethrow_exception(own.caught);
            return status;
        }

        /* What the launcher finds in tutti_context.stream from now on. */
        void set_stream(void *stream) noexcept
        {
            bound_.context.stream = stream;
        }

      private:
        friend class tuner;
        tutti_bound bound_{};
    };

    /* tutti_bind. Throws tutti::error. */
    bound bind(const args &with, const group &group) const
    {
        bound result;
        result.bound_.size = sizeof result.bound_;
        const frame own{const_cast<args *>(&with), nullptr};
        check(tutti_bind(get(), &own, group.get(), &result.bound_), own, "");
        return result;
    }

    std::uint64_t size() const noexcept
    {
        return tutti_space_size(get());
    }

    /* tutti_configuration_text. */
    std::string text(std::uint64_t index) const
    {
        std::string result(tutti_configuration_text(get(), index, nullptr, 0), '\0');
        tutti_configuration_text(get(), index, result.data(), result.size() + 1);
        return result;
    }

    tutti_tuner *get() const noexcept
    {
        return tuner_.get();
    }

    Launcher &launcher() noexcept
    {
        return state_->launcher;
    }

    /* For the functions of C that this class does not have: returns function(p), with p to be given
     * to them as args. A callback of C's gets these back by args_of. */
    template <class Function> static auto with_c_args(args &with, Function function)
    {
        frame own{&with, nullptr};
        return function(static_cast<void *>(&own));
    }
    static args &args_of(const void *c_args) noexcept
    {
        return *static_cast<const frame *>(c_args)->args;
    }

  private:
    using frame = detail::frame<args>;
    struct state {
        Launcher launcher;
        std::exception_ptr caught; /* by the constraint, during creation */
    };
    struct destroy {
        void operator()(tutti_tuner *tuner) const noexcept
        {
            tutti_tuner_destroy(tuner);
        }
    };

    std::unique_ptr<state> state_; /* outlives the tuner, whose end releases configurations */
    std::unique_ptr<tutti_tuner, destroy> tuner_;

    /* C wants args that are not const: those of its callbacks; the frame itself stays as it is. */
    static void *as_c(const frame &own) noexcept
    {
        return const_cast<frame *>(&own);
    }

    /* After a call. What only looks has no sentence: the tuner's is an earlier call's. */
    void check(int status, const frame &own, const group &group) const
    {
        check(status, own, status == TUTTI_SUCCESS ? "" : tutti_message(get(), group.get()));
    }

    static void check(int status, const frame &own, const char *sentence)
    {
        if (status == TUTTI_SUCCESS)
            return;
        const error failure(status, sentence);
        if (!own.caught)
            throw failure;
        try {
            std::rethrow_exception(own.caught);
        } catch (...) {
            std::throw_with_nested(failure);
        }
    }

    static const config &config_of(const void *bytes) noexcept
    {
        return *static_cast<const config *>(bytes);
    }
    static Launcher &launcher_of(void *user) noexcept
    {
        return static_cast<state *>(user)->launcher;
    }

    static void tell(const tutti_context *context, const char *what) noexcept
    {
        if (context && context->message)
            std::snprintf(context->message, context->message_size, "%s", what);
    }

    /* Calls what may throw, and turns an exception into a status. */
    template <class Function>
    static int guarded(const frame &own, const tutti_context *context, Function function) noexcept
    {
        try {
            return function();
        } catch (const std::exception &exception) {
            own.caught = std::current_exception();
            tell(context, exception.what());
        } catch (...) {
            own.caught = std::current_exception();
            tell(context, "an exception");
        }
        return threw;
    }

    static const frame &frame_of(const void *c_args) noexcept
    {
        return *static_cast<const frame *>(c_args);
    }

    void set_callbacks(tutti_tuner_desc &desc)
    {
        using namespace detail;
        desc.run = [](void *a, const void *c, const tutti_context *context) noexcept {
            return guarded(frame_of(a), context, [&] {
                return launcher_of(context->user).run(args_of(a), config_of(c), *context);
            });
        };
        if constexpr (has_key<Launcher>::value)
            desc.key = [](tutti_key *key, const void *a, void *user) noexcept {
                return guarded(frame_of(a), nullptr, [&] {
                    launcher_of(user).key(key, std::as_const(args_of(a)));
                    return 0;
                });
            };
        if constexpr (has_buffers<Launcher>::value)
            desc.buffers = [](tutti_buffers *buffers, void *a, void *user) noexcept {
                return guarded(frame_of(a), nullptr, [&] {
                    std::as_const(launcher_of(user)).buffers(buffers, args_of(a));
                    return 0;
                });
            };
        if constexpr (has_prune<Launcher>::value)
            desc.prune = [](const void *c, const void *a, void *user) noexcept -> bool {
                return launcher_of(user).prune(config_of(c), std::as_const(args_of(a)));
            };
        if constexpr (has_constraint<Launcher>::value)
            desc.constraint = keeps;
        set_search_callbacks(desc);
    }

    /* After an exception the rest is not asked. */
    static bool keeps(const void *c, void *user) noexcept
    {
        state &own = *static_cast<state *>(user);
        try {
            return !own.caught && own.launcher.constraint(config_of(c));
        } catch (...) {
            own.caught = std::current_exception();
            return false;
        }
    }

    void set_search_callbacks(tutti_tuner_desc &desc)
    {
        using namespace detail;
        if constexpr (has_on_stall<Launcher>::value)
            desc.on_stall = [](const char *message, void *user) noexcept {
                launcher_of(user).on_stall(message);
            };
        if constexpr (has_setup<Launcher>::value)
            desc.setup = [](void *a, const tutti_context *context) noexcept {
                return guarded(frame_of(a), context, [&] {
                    return launcher_of(context->user).setup(args_of(a), *context);
                });
            };
        if constexpr (has_teardown<Launcher>::value)
            desc.teardown = [](void *a, const tutti_context *context) noexcept {
                launcher_of(context->user).teardown(args_of(a), *context);
            };
        if constexpr (has_prepare<Launcher>::value)
            desc.prepare = [](void *a, const void *c, const tutti_context *context) noexcept {
                return guarded(frame_of(a), context, [&] {
                    return launcher_of(context->user).prepare(args_of(a), config_of(c), *context);
                });
            };
        if constexpr (has_release<Launcher>::value)
            desc.release = [](void *, const void *c, const tutti_context *context) noexcept {
                launcher_of(context->user).release(config_of(c), *context);
            };
        if constexpr (has_reset<Launcher>::value)
            desc.reset = [](void *a, const void *c, const tutti_context *context) noexcept {
                return guarded(frame_of(a), context, [&] {
                    return launcher_of(context->user).reset(args_of(a), config_of(c), *context);
                });
            };
        if constexpr (has_verify<Launcher>::value)
            desc.verify = [](void *a, const void *c, const tutti_context *context) noexcept {
                return guarded(frame_of(a), context, [&] {
                    return launcher_of(context->user).verify(args_of(a), config_of(c), *context);
                });
            };
    }
};

} // namespace tutti

#endif
