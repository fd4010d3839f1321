/*
 * Hooks and copies that play a weaker memory than any processor's: a payload becomes visible as
 * late, or is read as early, as the order of the signals allows.
 *
 *   LATE   What a rank stores into shared memory reaches it with the rank's next release store.
 *          What it loads from there is read at that time too.
 *   EARLY  Stores are the same. What a rank loads is what was there at its last acquire load.
 *
 * Streaming stores reach memory with the first release store after a fence. When a call returns,
 * everything takes place that was still put off: a rank sees what it did itself.
 *
 * Mutants break the operator's side of the bargain, and must show in the results.
 */
#ifndef WEAK_MEMORY_H
#define WEAK_MEMORY_H

enum weak_memory_mode { LATE, EARLY };

enum weak_memory_mutant {
    NO_MUTANT,
    SIGNALS_BEFORE_COPYING, /* rank 0 publishes a block, and writes it when a peer has acted */
    STORES_NOT_RELEASED,    /* the payload is stored after its signal */
    LOADS_NOT_RELEASED,     /* the slot is given back before it has been read (LATE) */
    SIGNALS_NOT_ACQUIRED,   /* the payload is read before its signal (EARLY) */
    FENCE_FORGOTTEN         /* the kernel of streaming stores has no fence */
};

/* Between two runs of the ranks. */
void set_weak_memory(enum weak_memory_mode mode, enum weak_memory_mutant mutant);

/* Payloads that were put off since the last set_weak_memory. */
unsigned count_put_off(void);

#endif
