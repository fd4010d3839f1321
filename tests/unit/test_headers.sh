#!/bin/sh
# Every public header compiles by itself, as C11 and as C++17, without a warning, under each compiler
# that is here; and what must not compile does not.
#   test_headers.sh SOURCE BUILD MPI_INCLUDE_FLAGS
set -u
source=$1 build=$2 mpi=$3
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
includes="-I$source/include -I$build/include $mpi"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 compiled=0

# compiles COMPILER FILE: quietly; the words are in $work/log.
compiles() {
    case $1 in
    *++) set -- "$1" "$2" -std=c++17 ;;
    *) set -- "$1" "$2" -std=c11 -Wstrict-prototypes ;;
    esac
    # shellcheck disable=SC2086 # words are meant to split
    "$1" "$3" ${4-} $warnings $includes -fsyntax-only "$2" >"$work/log" 2>&1
}

headers=$(cd "$source/include" && ls tutti/*.h tutti/*.hpp)
for compiler in gcc clang g++ clang++; do
    command -v $compiler >/dev/null || continue
    case $compiler in *++) language=cpp ;; *) language=c ;; esac
    for header in $headers tutti/version.h; do
        case $language$header in c*.hpp) [ $language = cpp ] || continue ;; esac
        printf '#include <%s>\nextern int not_empty;\n' "$header" >"$work/alone.$language"
        compiled=$((compiled + 1))
        compiles $compiler "$work/alone.$language" && continue
        echo "$compiler does not take <$header> alone:"
        cat "$work/log"
        failed=1
    done
done

# refused NAME WORDS: the file must fail to compile, with these words.
refused() {
    case $1 in *.c) compilers="gcc clang" ;; *) compilers="g++ clang++" ;; esac
    for compiler in $compilers; do
        command -v $compiler >/dev/null || continue
        compiled=$((compiled + 1))
        if compiles $compiler "$work/$1"; then
            echo "$compiler compiles $1"
            failed=1
        elif ! grep -q "$2" "$work/log"; then
            echo "$compiler refuses $1 without saying \"$2\":"
            cat "$work/log"
            failed=1
        fi
    done
}

cat >"$work/unsigned_64.c" <<'END'
#include <tutti/param.h>
struct config { uint64_t big; };
extern const tutti_param table[1];
const tutti_param table[1] = {TUTTI_PARAM(struct config, big, 1)};
END
cat >"$work/unsigned_64.cpp" <<'END'
#include <tutti/tutti.hpp>
struct config { std::uint64_t big; };
constexpr std::uint64_t values[] = {1};
constexpr tutti_param table[] = {TUTTI_PARAM_OF(config, big, values)};
END
cat >"$work/other_type.cpp" <<'END'
#include <tutti/tutti.hpp>
struct config { int block; };
constexpr long values[] = {1};
constexpr tutti_param table[] = {TUTTI_PARAM_OF(config, block, values)};
END
cat >"$work/wrong_signature.cpp" <<'END'
#include <tutti/tutti.hpp>
struct launcher {
    struct config { int block; };
    using args = int;
    bool prune(const args &, const config &) { return true; }
    int run(args &, const config &, const tutti_context &) { return 0; }
};
void make(tutti_tuner_desc desc) { tutti::tuner<launcher> tuner(desc, launcher{}); }
END
refused unsigned_64.c _Generic
refused unsigned_64.cpp "can't be tuned"
refused other_type.cpp "not of the field's type"
refused wrong_signature.cpp prune

echo "$compiled compilations"
[ $compiled -gt 0 ] || exit 77
exit $failed
