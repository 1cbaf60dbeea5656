// SPDX-License-Identifier: Apache-2.0

// Hooks for the functions of libc that close descriptors. They keep LTTng's descriptors open, like
// its liblttng-ust-fd.so. Without them lttng-ust ends the process.

#define _GNU_SOURCE
#include "descriptors.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events.h"
#include "macros.h"
#include "objects.h"
#include "portable.h"
#include "state.h"
#include "tracer.h"

// LTTng's own check takes a lock and four system calls, half the time of an open and a close. Higher descriptors need it.
enum { MAX_KNOWN = 4096 };
static bool is_of_lttng[MAX_KNOWN], are_known;

static void lower_first(unsigned descriptor) {
  unsigned first = __atomic_load_n(&file_watch.first_of_lttng, __ATOMIC_SEQ_CST);
  while (descriptor < first && !__atomic_compare_exchange_n(&file_watch.first_of_lttng, &first, descriptor, false,
                                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
}

static void set_owner(int descriptor, bool is_lttng) {
  if (descriptor < 0 || descriptor >= MAX_KNOWN) return;
  __atomic_store_n(&is_of_lttng[descriptor], is_lttng, __ATOMIC_SEQ_CST);
  if (is_lttng) lower_first((unsigned)descriptor);
}

static unsigned first_owned(void) {
  unsigned first = 0;
  while (first < MAX_KNOWN && !__atomic_load_n(&is_of_lttng[first], __ATOMIC_SEQ_CST)) first++;
  return first;
}

static bool is_known_to_be_free(int descriptor) {
  return LIKELY(__atomic_load_n(&are_known, __ATOMIC_ACQUIRE) && descriptor >= 0 && descriptor < MAX_KNOWN &&
                !__atomic_load_n(&is_of_lttng[descriptor], __ATOMIC_RELAXED));
}

static int (*add_to_tracker)(int);
static void (*delete_from_tracker)(int);

// LTTng goes on with the number that is returned.
static int hook_add(int descriptor) {
  int added = add_to_tracker(descriptor);
  set_owner(added, true);
  return added;
}

static void hook_delete(int descriptor) {
  delete_from_tracker(descriptor);
  set_owner(descriptor, false);
}

static bool replace_both(const void *function) {
  Dl_info info;
  return function && dladdr(function, &info) &&
         replace_slot(info.dli_fbase, "lttng_ust_add_fd_to_tracker", (void *)hook_add) &&
         replace_slot(info.dli_fbase, "lttng_ust_delete_fd_from_tracker", (void *)hook_delete);
}

// Exported by liblttng-ust-common, in no installed header.
static bool hook_tracker(void) {
  void *library = dlopen("liblttng-ust.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return false;
  add_to_tracker = (int (*)(int))dlsym(library, "lttng_ust_add_fd_to_tracker");
  delete_from_tracker = (void (*)(int))dlsym(library, "lttng_ust_delete_fd_from_tracker");
  bool is_hooked = add_to_tracker && delete_from_tracker && replace_both((void *)add_to_tracker) &&
                   replace_both(dlsym(library, "lttng_ust_before_fork"));
  dlclose(library);
  dlerror();
  return is_hooked;
}

static int keep_open(int descriptor) { return descriptor < 0; }

void follow_lttng_descriptors(const struct tracepoints *lttng) {
  if (are_known) return;
  // Until they are known.
  __atomic_store_n(&file_watch.first_of_lttng, 0, __ATOMIC_SEQ_CST);
  DIR *folder = hook_tracker() ? opendir("/proc/self/fd") : NULL;
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder));) {
    int descriptor = atoi(entry->d_name);
    if (entry->d_name[0] != '.' && lttng->close(descriptor, keep_open) != 0) set_owner(descriptor, true);
  }
  closedir(folder);
  __atomic_store_n(&are_known, true, __ATOMIC_RELEASE);
  __atomic_store_n(&file_watch.first_of_lttng, first_owned(), __ATOMIC_SEQ_CST);
  // A thread of LTTng may have added one before the first was set.
  lower_first(first_owned());
}

// Not in the child of vfork(), which shares this memory and closes descriptors of its own.
static const struct tracepoints *in_this_process(void) { return tracepoints && lttng_is_here() ? tracepoints : NULL; }

int close_at_lttng(int descriptor) {
  if (is_known_to_be_free(descriptor)) return close(descriptor);
  const struct tracepoints *lttng = in_this_process();
  return lttng ? lttng->close(descriptor, close) : close(descriptor);
}

int fclose_at_lttng(FILE *file) {
  if (file && is_known_to_be_free(fileno(file))) return fclose(file);
  const struct tracepoints *lttng = in_this_process();
  return lttng ? lttng->close_file(file, fclose) : fclose(file);
}

void hook_closefrom(int first) {
  const struct tracepoints *lttng = in_this_process();
  if (lttng) lttng->close_from(first < 0 ? 0 : first, close);
  else closefrom(first);
}

int hook_close_range(unsigned first, unsigned last, int flags) {
  const struct tracepoints *lttng = in_this_process();
  if (!lttng || (flags & ~CLOSE_RANGE_UNSHARE) != 0 || first > last || first > INT_MAX)
    return close_range(first, last, flags);
  if (flags != 0 && unshare(CLONE_FILES) != 0) return -1;
  if (last >= INT_MAX) return lttng->close_from((int)first, close), 0;
  for (unsigned descriptor = first; descriptor <= last; descriptor++)
    hook_close((int)descriptor);
  return 0;
}

static int hook_close_alone(int descriptor) { return hook_close(descriptor); }
static int hook_fclose_alone(FILE *file) { return hook_fclose(file); }

void *descriptor_hook(const char *name) {
  if (strcmp(name, "close") == 0) return (void *)hook_close_alone;
  if (strcmp(name, "fclose") == 0) return (void *)hook_fclose_alone;
  if (strcmp(name, "closefrom") == 0) return (void *)hook_closefrom;
  return strcmp(name, "close_range") == 0 ? (void *)hook_close_range : NULL;
}
