// SPDX-License-Identifier: Apache-2.0

// The line of the task that awaits a statement which runs on a thread of the driver: aiosqlite puts pairs of a future
// and a function on the queue of the connection's thread, and executors do alike. From the future, its callbacks lead
// to the task, and the task's coroutines to the line.

#define _GNU_SOURCE
#include "caller-python-tasks.h"

#include <dlfcn.h>
#include <string.h>

#include "caller-python-api.h"
#include "caller-files.h"

// MARK: - Coroutines

struct kind {
  const char *type_name;
  struct python_name code, frame, awaited;
  void *type;
};

static struct kind kinds[] = {
    {"PyCoro_Type", {"cr_code", NULL}, {"cr_frame", NULL}, {"cr_await", NULL}, NULL},
    {"PyGen_Type", {"gi_code", NULL}, {"gi_frame", NULL}, {"gi_yieldfrom", NULL}, NULL},
    {"PyAsyncGen_Type", {"ag_code", NULL}, {"ag_frame", NULL}, {"ag_await", NULL}, NULL},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds, TP_TRAVERSE = 71 };

static struct kind *kind_of(void *object) {
  void *type = python.type(object);
  python.decrement(type);
  for (size_t i = 0; i < KIND_COUNT; i++) {
    if (!kinds[i].type) kinds[i].type = dlsym(RTLD_DEFAULT, kinds[i].type_name);
    if (kinds[i].type == type) return &kinds[i];
  }
  return NULL;
}

static int visit(void *object, void *found) {
  if (!kind_of(object)) return 0;
  *(void **)found = object;
  return 1;
}

// The coroutine within an object that is awaited for it and has no attribute for it, such as that of __await__()
// and of an asynchronous generator's __anext__(); a new reference, or NULL.
static void *wrapped_in(void *object) {
  void *found = NULL, *type = python.type(object);
  int (*traverse)(void *, int (*)(void *, void *), void *) = NULL;
  *(void **)&traverse = python.slot(type, TP_TRAVERSE);
  python.error_clear();
  if (traverse) traverse(object, visit, &found);
  if (found) python.increment(found);
  python.decrement(type);
  return found;
}

// A new reference to a local variable of a function, or NULL.
static void *variable_of(void *frame, const char *name) {
  void *value = NULL;
  if (python.variable) {
    value = python.variable(frame, name);
  } else {
    void *trace = attribute_of(frame, NAME("f_trace"));
    void *locals = attribute_of(frame, NAME("f_locals"));
    if (locals) value = python.mapping_item(locals, name);
    // The copy would keep the program's objects alive; a debugger of the frame writes it back.
    if (locals && !trace) python.clear(locals);
    release_object(locals);
    release_object(trace);
  }
  if (!value) python.error_clear();
  return value;
}

// The frames of the synchronous functions that SQLAlchemy runs in a greenlet of the coroutine.
static void look_at_greenlet(void *frame, struct ranked_frame *best) {
  struct ranked_frame inner = {-1, NULL, false};
  void *greenlet = variable_of(frame, "context");
  void *innermost = greenlet ? attribute_of(greenlet, NAME("gr_frame")) : NULL;
  if (innermost) look_at_frames(innermost, &inner, NULL);
  if (inner.rank >= best->rank) keep_frame(best, inner.rank, inner.frame);
  release_object(inner.frame);
  release_object(innermost);
  release_object(greenlet);
}

static void look_at_coroutine(void *coroutine, struct kind *kind, struct ranked_frame *best) {
  char file[1024];
  void *code = attribute_of(coroutine, &kind->code);
  bool has_file = code && copy_attribute(code, NAME("co_filename"), file, sizeof file);
  release_object(code);
  if (!has_file) return;
  int rank = rank_of_file(file, CSourceFiles_python);
  bool has_greenlet = rank == RANK_RUNTIME && runs_in_greenlets(file);
  void *frame = rank >= best->rank || has_greenlet ? attribute_of(coroutine, &kind->frame) : NULL;
  if (frame) rank = rank_of_frame(frame, file);
  if (frame && rank >= best->rank) keep_frame(best, rank, frame);
  if (frame && has_greenlet) look_at_greenlet(frame, best);
  release_object(frame);
}

// Looks at a task's coroutines, from the outermost to the one that awaits the future.
static void look_at_task(void *task, struct ranked_frame *best) {
  void *awaited = attribute_of(task, NAME("_coro"));
  for (int depth = 0; awaited && depth < 200; depth++) {
    struct kind *kind = kind_of(awaited);
    if (kind) look_at_coroutine(awaited, kind, best);
    void *next = kind ? attribute_of(awaited, &kind->awaited) : wrapped_in(awaited);
    python.decrement(awaited);
    awaited = next;
  }
  release_object(awaited);
}

// MARK: - Futures

// A new reference to an element, or NULL behind the last.
static void *element(void *sequence, intptr_t index) {
  void *value = index < python.length(sequence) ? python.sequence_item(sequence, index) : NULL;
  if (!value) python.error_clear();
  return value;
}

static bool is_future(void *object) {
  void *value = get_attribute(object, NAME("_asyncio_future_blocking"));
  if (!value) python.error_clear();
  release_object(value);
  return value != NULL;
}

// The task that a callback of asyncio's own wakes: the object of a method, or the parent of its group of tasks; a new
// reference, or NULL.
static void *task_of(void *callback) {
  void *object = attribute_of(callback, NAME("__self__"));
  if (!object || is_future(object)) return object;
  void *parent = attribute_of(object, NAME("_parent_task"));
  python.decrement(object);
  return parent;
}

static void *future_among(void *values, struct python_name *content) {
  void *found = NULL, *value;
  for (intptr_t i = 0; values && !found && (value = element(values, i)); i++) {
    found = content ? attribute_of(value, content) : value;
    if (content) python.decrement(value);
    if (found && is_future(found)) break;
    release_object(found);
    found = NULL;
  }
  release_object(values);
  return found;
}

// The future that a callback of gather(), shield(), wait_for() or an executor ends; a new reference, or NULL.
static void *future_of(void *callback) {
  void *found = future_among(attribute_of(callback, NAME("__closure__")), NAME("cell_contents"));
  return found ? found : future_among(attribute_of(callback, NAME("args")), NULL);
}

// The task, or without one the future, that waits for a future; a new reference, or NULL.
static void *waiting_for(void *future) {
  void *found = NULL, *callback, *callbacks = attribute_of(future, NAME("_callbacks"));
  bool has_contexts = callbacks != NULL;
  if (!callbacks) callbacks = attribute_of(future, NAME("_done_callbacks"));
  void *(*const ways[])(void *) = {task_of, future_of};
  for (int way = 0; way < 2 && callbacks; way++)
    for (intptr_t i = 0; !found && (callback = element(callbacks, i)); i++) {
      void *function = has_contexts ? element(callback, 0) : NULL;
      found = ways[way](function ? function : callback);
      release_object(function);
      python.decrement(callback);
    }
  release_object(callbacks);
  return found;
}

// The future is not awaited yet: the task that made it is between that and its await, on the loop's thread.
static void look_at_loop(void *future, struct ranked_frame *best) {
  char state[16];
  if (!copy_attribute(future, NAME("_state"), state, sizeof state) || strcmp(state, "PENDING") != 0) return;
  void *loop = attribute_of(future, NAME("_loop"));
  void *thread = loop ? attribute_of(loop, NAME("_thread_id")) : NULL;
  void *function = python.of_sys("_current_frames");
  void *frames = thread && function ? python.call(function, NULL) : NULL;
  void *frame = frames ? python.item(frames, thread) : NULL;
  if (frame) look_at_frames(frame, best, NULL);
  python.error_clear();
  release_object(frame);
  release_object(frames);
  release_object(thread);
  release_object(loop);
}

// A task that only calls the driver, such as that of gather(db.execute(...)), has the line in the task that awaits it.
static void look_at_waiters(void *future, struct ranked_frame *best) {
  python.increment(future);
  for (int hops = 0; future && hops < 16 && best->rank < RANK_PROGRAM; hops++) {
    void *next = waiting_for(future);
    if (next) look_at_task(next, best);
    if (!next && hops == 0) look_at_loop(future, best);
    python.decrement(future);
    future = next;
  }
  release_object(future);
}

void look_at_awaiting_tasks(void *worker, struct ranked_frame *best) {
  void *future = variable_of(worker, "future");
  if (!future) {
    void *item = variable_of(worker, "work_item");
    future = item ? attribute_of(item, NAME("future")) : NULL;
    release_object(item);
  }
  if (future && future != python.none) look_at_waiters(future, best);
  release_object(future);
}
