/* What a tuned run leaves behind: the manifest and the CSV, and a word on where everything is. */
#ifndef EXAMPLES_EXPORT_H
#define EXAMPLES_EXPORT_H

#include "session.h"

/* Fails the session at its begin if a file could not be written at its end. Collective. */
void export_check(struct session *session);

/* Writes both files and says where they and the records are. After a failure of the session, does
 * nothing. Collective. */
void export_results(struct session *session);

#endif
