// SPDX-License-Identifier: Apache-2.0

// The calls of a recorder that loads the library into a running process. They run on a thread that may be anywhere in the
// program, so they neither open a file nor call SQLite: that is done by the program's next call of SQLite.

#include "log.h"
#include "macros.h"
#include "recording.h"
#include "settings.h"
#include "slots.h"
#include "sqliteprobe.h"

EXPORTED int sqliteprobe_attach(const char *settings) {
  if (log_level > 0 && !is_idle) {
    if (!log_has_ended()) return 1;
    // Its recorder ended, and could not detach.
    sqliteprobe_detach(NULL);
  }
  set_settings(settings);
  __atomic_store_n(&is_idle, false, __ATOMIC_SEQ_CST);
  resume_recording();
  patch_new_objects(false);
  return 0;
}

EXPORTED int sqliteprobe_detach(const char *unused) {
  (void)unused;
  if (is_idle) return 1;
  __atomic_store_n(&is_idle, true, __ATOMIC_RELEASE);
  restore_slots();
  sqliteprobe_finish(0);
  return 0;
}
