// SPDX-License-Identifier: Apache-2.0

// The return addresses of a native program, as `module+0xoffset`: the reader finds the lines.

#define _GNU_SOURCE
#include "caller-native.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "CSourceFiles.h"
#include "caller-go.h"
#include "objects.h"
#include "portable.h"
#include "process.h"

// A library such as GRDB has about 20 frames between the application and SQLite.
enum { SHOWN_FRAMES = 48 };

static bool is_of_probe_or_sqlite(const Dl_info *object) {
  return object->dli_fbase == __ehdr_start || strstr(object->dli_fname, "/libsqlite3") != NULL;
}

// The end of the probe's code, which the linker defines.
extern const char etext[] __attribute__((visibility("hidden")));

// Without the probe's own frames, which differ between the begin and the end of a run.
static int without_probe(void **addresses, int count) {
  int own = 0;
  while (own < count && (const char *)addresses[own] >= __ehdr_start && (const char *)addresses[own] < etext) own++;
  memmove(addresses, addresses + own, (size_t)(count - own) * sizeof *addresses);
  return count - own;
}

int native_frames(void **addresses, int count) {
  int found = go_frames(addresses, count);
  if (found <= 0) found = backtrace ? backtrace(addresses, count) : 0;
  return found > 0 ? without_probe(addresses, found) : 0;
}

// A program that was started by a relative path is named from the folder in which it started.
static const char *folder_of(const char *module) { return module[0] == '/' ? "" : start_folder(); }

// Writes the frames of the program as text; returns false if there are none. A frame in the same
// file as the previous one has only an offset.
bool describe_frames(void *const *addresses, int count, struct caller_event *caller, char *buffer,
                     size_t size) {
  size_t used = 0;
  int shown = 0;
  bool is_first = true;
  const void *last = NULL;
  // The function of a driver, or of an interpreter, is the same for every line that runs a statement.
  const void *program = program_is_interpreter() ? NULL : base_of_program();
  buffer[0] = 0;
  for (int i = 0; i < count && shown < SHOWN_FRAMES; i++) {
    // The call is before the address to which it returns.
    const char *call = (const char *)addresses[i] - 1;
    Dl_info info;
    if (!dladdr(call, &info) || !info.dli_fname || is_of_probe_or_sqlite(&info)) continue;
    if (info.dli_sname && CSourceFiles_is_of_sqlite(info.dli_sname, "")) {
      // Of a copy within the program: the function that called it is its caller.
      is_first = is_first || caller->function[0] == 0;
      continue;
    }
    if (is_first && info.dli_sname && info.dli_fbase == program) caller->function = info.dli_sname;
    is_first = false;
    const char *module = object_path(info.dli_fname);
    bool is_same = info.dli_fbase == last;
    int written = snprintf(buffer + used, size - used, "%s%s%s+0x%zx", shown > 0 ? ";" : "",
                           is_same ? "" : folder_of(module), is_same ? "" : module,
                           (size_t)(call - (const char *)info.dli_fbase));
    if (written < 0 || (size_t)written >= size - used) {
      buffer[used] = 0;
      break;
    }
    used += (size_t)written;
    last = info.dli_fbase;
    shown++;
  }
  caller->language = "native";
  caller->frames = buffer;
  return shown > 0;
}
