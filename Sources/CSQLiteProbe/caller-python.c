// SPDX-License-Identifier: Apache-2.0

// The line of Python, or of PHP, that runs a statement, by the interpreter's own public functions.

#define _GNU_SOURCE
#include "caller-python.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "caller-python-dump.h"
#include "caller-python-files.h"
#include "macros.h"
#include "process.h"

// MARK: - Python

static struct python {
  int (*is_initialized)(void);
  int (*is_finalizing)(void);
  void *(*this_thread_state)(void);
  // The state that has the lock, in this thread or, up to 3.11, in any; NULL without one.
  void *(*current_state)(void);
  int (*has_lock)(void);
  int (*ensure)(void);
  void (*release)(int);
  void *(*frame)(void);
  int (*line)(void *);
  void *(*attribute)(void *, const char *);
  const char *(*utf8)(void *);
  void (*decrement)(void *);
  void (*increment)(void *);
  void (*error_clear)(void);
  void (*error_fetch)(void **, void **, void **);
  void (*error_restore)(void *, void *, void *);
  // Of the fault handler; needs no lock. Not exported by every Python.
  void (*dump)(int, void *);
  // Since 3.9; faster than the attributes.
  void *(*code)(void *);
  void *(*back)(void *);
  void *none;
} python;

static pthread_once_t python_once = PTHREAD_ONCE_INIT;
static bool has_python;

static void find_python(void) {
#define FIND(field, name) *(void **)&python.field = dlsym(RTLD_DEFAULT, name)
  FIND(is_initialized, "Py_IsInitialized");
  // The message that it is missing is not for the program.
  dlerror();
  if (!python.is_initialized) return;
  FIND(is_finalizing, "Py_IsFinalizing");
  if (!python.is_finalizing) FIND(is_finalizing, "_Py_IsFinalizing");
  FIND(this_thread_state, "PyGILState_GetThisThreadState");
  FIND(current_state, "PyThreadState_GetUnchecked");
  if (!python.current_state) FIND(current_state, "_PyThreadState_UncheckedGet");
  FIND(has_lock, "PyGILState_Check");
  FIND(ensure, "PyGILState_Ensure");
  FIND(release, "PyGILState_Release");
  FIND(frame, "PyEval_GetFrame");
  FIND(line, "PyFrame_GetLineNumber");
  FIND(attribute, "PyObject_GetAttrString");
  FIND(utf8, "PyUnicode_AsUTF8");
  FIND(decrement, "Py_DecRef");
  FIND(increment, "Py_IncRef");
  FIND(error_clear, "PyErr_Clear");
  FIND(error_fetch, "PyErr_Fetch");
  FIND(error_restore, "PyErr_Restore");
  FIND(dump, "_Py_DumpTraceback");
  FIND(code, "PyFrame_GetCode");
  FIND(back, "PyFrame_GetBack");
  FIND(none, "_Py_NoneStruct");
#undef FIND
  has_python = python.this_thread_state && python.has_lock && python.ensure && python.release &&
               python.frame && python.line && python.attribute && python.utf8 &&
               python.decrement && python.increment && python.error_clear && python.error_fetch &&
               python.error_restore;
  dlerror();
}

static void *code_of(void *frame) {
  return python.code ? python.code(frame) : python.attribute(frame, "f_code");
}

// A new reference to the calling frame, or NULL.
static void *frame_behind(void *frame) {
  void *back = python.back ? python.back(frame) : python.attribute(frame, "f_back");
  if (back && back == python.none) {
    python.decrement(back);
    return NULL;
  }
  return back;
}

// Copies a text attribute of a code object, cut where it is too long; returns false without it.
static bool copy_attribute(void *code, const char *name, char *buffer, size_t size) {
  void *value = python.attribute(code, name);
  const char *text = value ? python.utf8(value) : NULL;
  if (!text) python.error_clear();
  if (text && !memccpy(buffer, text, 0, size)) buffer[size - 1] = 0;
  if (value) python.decrement(value);
  return text != NULL;
}

static void take(void *frame, void *code, const char *file, struct caller_event *caller, char *buffer, size_t size) {
  size_t half = size / 2;
  caller->language = "python";
  caller->line = (uint64_t)python.line(frame);
  caller->file = buffer;
  caller->function = buffer + half;
  memcpy(buffer, file, strlen(file) + 1);
  if (!copy_attribute(code, "co_qualname", buffer + half, half) && !copy_attribute(code, "co_name", buffer + half, half))
    buffer[half] = 0;
}

static bool find_line(struct caller_event *caller, char *buffer, size_t size) {
  void *frame = python.frame();
  if (!frame) return false;
  python.increment(frame);
  char file[1024];
  int best = -1;
  for (int depth = 0; frame && depth < 200 && best < 3; depth++) {
    void *code = code_of(frame);
    if (code && copy_attribute(code, "co_filename", file, sizeof file)) {
      int rank = rank_of_python_file(file);
      if (rank > best) take(frame, code, file, caller, buffer, size);
      if (rank > best) best = rank;
    }
    if (code) python.decrement(code);
    void *back = frame_behind(frame);
    python.decrement(frame);
    frame = back;
  }
  if (frame) python.decrement(frame);
  return best >= 0;
}

// The state of a thread that runs Python, or NULL.
static void *running_thread(void) {
  pthread_once(&python_once, find_python);
  if (!has_python || !python.is_initialized()) return NULL;
  if (python.is_finalizing && python.is_finalizing()) return NULL;
  return python.this_thread_state();
}

// A wait for the interpreter's lock that is longer, in ns, is one for another thread that computes. It lets
// go after 5 ms, and would at each run.
static const int64_t LONG_WAIT = 200000;
enum { RUNS_AFTER_LONG_WAIT = 64 };
static _Thread_local unsigned runs_without_lock;

static int acquire(void) {
  int64_t start = clock_now();
  int state = python.ensure();
  if (UNLIKELY(clock_now() - start > LONG_WAIT)) runs_without_lock = RUNS_AFTER_LONG_WAIT;
  return state;
}

enum lock { LOCK_HELD, LOCK_FREE, LOCK_UNKNOWN };

// After a program has made an interpreter of its own in the process, PyGILState_Check() returns 1 always. This
// thread may then have the lock as that interpreter, and would wait for itself.
static enum lock state_of_lock(void *thread) {
  bool is_held = python.has_lock() != 0;
  if (!python.current_state || is_held == (python.current_state() == thread))
    return is_held ? LOCK_HELD : LOCK_FREE;
  return LOCK_UNKNOWN;
}

// Acquires the interpreter's lock if that cannot block another thread that waits for SQLite.
bool python_caller(struct caller_event *caller, char *buffer, size_t size, bool may_lock) {
  void *thread = running_thread();
  enum lock lock = thread ? state_of_lock(thread) : LOCK_UNKNOWN;
  if (lock == LOCK_UNKNOWN) return thread && python_caller_without_lock(caller, buffer, size);
  if (lock == LOCK_FREE && !may_lock) return false;
  if (UNLIKELY(lock == LOCK_FREE && runs_without_lock > 0)) {
    runs_without_lock--;
    if (python_caller_without_lock(caller, buffer, size)) return true;
  }
  int state = lock == LOCK_HELD ? 0 : acquire();
  void *type, *value, *traceback;
  python.error_fetch(&type, &value, &traceback);
  bool is_found = find_line(caller, buffer, size);
  python.error_clear();
  python.error_restore(type, value, traceback);
  if (lock == LOCK_FREE) python.release(state);
  return is_found;
}

bool python_can_be_dumped(void) { return python.dump && running_thread(); }

bool python_caller_without_lock(struct caller_event *caller, char *buffer, size_t size) {
  void *thread = running_thread();
  return thread && python.dump && python_caller_from_dump(python.dump, thread, caller, buffer, size);
}

// MARK: - PHP

static const char *(*php_file)(void);
static uint32_t (*php_line)(void);
static pthread_once_t php_once = PTHREAD_ONCE_INIT;

static void find_php(void) {
  *(void **)&php_file = dlsym(RTLD_DEFAULT, "zend_get_executed_filename");
  *(void **)&php_line = dlsym(RTLD_DEFAULT, "zend_get_executed_lineno");
  dlerror();
}

bool php_caller(struct caller_event *caller) {
  pthread_once(&php_once, find_php);
  if (!php_file || !php_line) return false;
  const char *file = php_file();
  if (!file || file[0] == '[') return false;
  caller->language = "php";
  caller->file = file;
  caller->line = php_line();
  return true;
}
