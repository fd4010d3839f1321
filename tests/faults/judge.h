/* Judges what a step gave: the same on all ranks, and right. */
#ifndef JUDGE_H
#define JUDGE_H

#include "play.h"

/* Judges the step that has just been played, and keeps the model up to date. */
void judge_step(struct play *play);

/* Notes that something is wrong, with all that is needed to play the case again. */
void complain(struct play *play, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
