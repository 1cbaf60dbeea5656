// SPDX-License-Identifier: Apache-2.0

#include "caller-python-cells.h"

#include <stdio.h>
#include <string.h>

#include "caller-python-api.h"

// A new reference to a value in a mapping, or NULL.
static void *value_in(void *mapping, const char *key) {
  void *value = mapping ? python.mapping_item(mapping, key) : NULL;
  if (!value) python.error_clear();
  return value;
}

// Returns an attribute of an object and releases the object.
static void *attribute_within(void *object, struct python_name *name) {
  void *value = object ? attribute_of(object, name) : NULL;
  release_object(object);
  return value;
}

// `/tmp/ipykernel_4711/2957683.py` has the number of the process, and a hash of the text. IPython's compiler has the
// cell's number: get_ipython().compile._filename_map[file].
bool name_cell(void *frame, char *file, size_t size) {
  if (!strstr(file, "/ipykernel_")) return false;
  void *globals = attribute_of(frame, NAME("f_globals"));
  void *shell = attribute_within(value_in(globals, "get_ipython"), NAME("__self__"));
  void *files = attribute_within(attribute_within(shell, NAME("compile")), NAME("_filename_map"));
  void *number = value_in(files, file);
  if (number) snprintf(file, size, "In[%ld]", python.number(number));
  python.error_clear();
  release_object(number);
  release_object(files);
  release_object(globals);
  return number != NULL;
}
