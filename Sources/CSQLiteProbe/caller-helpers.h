// SPDX-License-Identifier: Apache-2.0

// Lines of the program that run statements for other lines, such as a query_db(): their callers are reported.

#pragma once

#include "caller-files.h"
#include "events.h"
#include "texts.h"

#pragma GCC visibility push(hidden)

// How many helpers may call each other.
enum { MAX_HELPERS = 6 };

// The lines behind which a look-up looks, innermost first.
struct helpers {
  uint64_t lines[MAX_HELPERS];
  int count;
};

// Lets the next look-ups on this thread look behind known helpers, and behind these; NULL for the former alone.
void look_behind(const struct helpers *others);
// RANK_HELPER for a line to look behind, otherwise the rank of its file.
int rank_of_line(int rank_of_file, const char *file, uint64_t line);

// Whether the rank of any line is another than that of its file.
bool lines_have_ranks(void);
// The known helper that the last look-up found first, such as `db.py:5`, or "".
const char *helper_of_look_up(void);
// Adds the line of a caller; returns false if there is no room, or it is there.
bool add_line(struct helpers *helpers, const struct caller_event *caller);
// Whether the lines behind a caller are of interest: a program with values in its SQL has new texts all the time.
bool is_new_form(const struct caller_event *caller, const struct text *text);
// Counts a text that a line runs for the first time, with the lines behind it; returns whether they are helpers from now.
bool count_form(const struct caller_event *caller, const struct text *text, const struct helpers *chain);

#pragma GCC visibility pop
