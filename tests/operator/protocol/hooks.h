/*
 * The operator's sources are compiled once more with this header in front of them: every atomic
 * access to a signal word then goes through a function of the test, which may delay it, or play a
 * memory that orders nothing but what it must.
 */
#ifndef HOOKS_H
#define HOOKS_H

#include <stdatomic.h>
#include <stdint.h>

uint64_t hook_load(const _Atomic uint64_t *word, memory_order order);
void hook_store(_Atomic uint64_t *word, uint64_t value, memory_order order);

/* The same accesses, for the hooks: with each of the orders that the operator uses. */
static inline uint64_t load_word(const _Atomic uint64_t *word, memory_order order)
{
    return order == memory_order_relaxed ? atomic_load_explicit(word, memory_order_relaxed)
                                         : atomic_load_explicit(word, memory_order_acquire);
}

static inline void store_word(_Atomic uint64_t *word, uint64_t value, memory_order order)
{
    if (order == memory_order_relaxed)
        atomic_store_explicit(word, value, memory_order_relaxed);
    else
        atomic_store_explicit(word, value, memory_order_release);
}

#ifdef HOOK_SIGNALS
#undef atomic_load_explicit
#undef atomic_store_explicit
#define atomic_load_explicit  hook_load
#define atomic_store_explicit hook_store
#endif

#endif
