// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "caller-python-api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

struct python_api python;

static pthread_once_t python_once = PTHREAD_ONCE_INIT;
static bool has_python;

static void find_functions(void) {
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
  FIND(attribute, "PyObject_GetAttr");
  FIND(intern, "PyUnicode_InternFromString");
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
  FIND(variable, "PyFrame_GetVarString");
  FIND(mapping_item, "PyMapping_GetItemString");
  FIND(clear, "PyDict_Clear");
  FIND(item, "PyObject_GetItem");
  FIND(sequence_item, "PySequence_GetItem");
  FIND(length, "PyObject_Size");
  FIND(type, "PyObject_Type");
  FIND(slot, "PyType_GetSlot");
  FIND(of_sys, "PySys_GetObject");
  FIND(call, "PyObject_CallObject");
  FIND(keys, "PyMapping_Keys");
  FIND(number, "PyLong_AsLong");
  FIND(compile, "Py_CompileString");
  FIND(evaluate, "PyEval_EvalCode");
  FIND(dictionary, "PyDict_New");
  FIND(builtins, "PyEval_GetBuiltins");
  FIND(set_item, "PyDict_SetItemString");
#undef FIND
  has_python = python.this_thread_state && python.has_lock && python.ensure && python.release &&
               python.frame && python.line && python.attribute && python.intern && python.utf8 &&
               python.decrement && python.increment && python.error_clear && python.error_fetch &&
               python.error_restore && python.none && python.mapping_item &&
               python.clear && python.item && python.sequence_item && python.length &&
               python.type && python.slot && python.of_sys && python.call && python.number;
  dlerror();
}

bool find_python(void) {
  pthread_once(&python_once, find_functions);
  return has_python;
}

void *get_attribute(void *object, struct python_name *name) {
  if (!name->object) name->object = python.intern(name->text);
  return name->object ? python.attribute(object, name->object) : NULL;
}

bool copy_attribute(void *object, struct python_name *name, char *buffer, size_t size) {
  void *value = get_attribute(object, name);
  const char *text = value ? python.utf8(value) : NULL;
  if (!text) python.error_clear();
  if (text && !memccpy(buffer, text, 0, size)) buffer[size - 1] = 0;
  if (value) python.decrement(value);
  return text != NULL;
}

void *attribute_of(void *object, struct python_name *name) {
  void *value = get_attribute(object, name);
  if (!value) python.error_clear();
  if (value != python.none) return value;
  python.decrement(value);
  return NULL;
}

void release_object(void *object) {
  if (object) python.decrement(object);
}
