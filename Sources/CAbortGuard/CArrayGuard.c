// SPDX-License-Identifier: Apache-2.0

/* Two functions of libbabeltrace2, found before the library's own by its plugin `ctf`, since a
 * program's symbols come before those of the libraries that it links.
 *
 * Why: the plugin believes the length of an array that stands in a packet, and the library makes
 * as many elements at once: 80 bytes each for 2^32 of them; of 2^40 it makes none, and writes
 * beyond them. The same holds for lengths in the metadata. No event of ours has an array, but one
 * of another provider may. Delete when the library compares the length with the packet. */

#define _GNU_SOURCE
#include <babeltrace2/babeltrace.h>
#include <dlfcn.h>

/* An event is no longer than a sub-buffer, which has 1 MiB unless the session is configured for more. */
enum { most_elements = 1 << 20 };

bt_field_array_dynamic_set_length_status bt_field_array_dynamic_set_length(
    bt_field *field, uint64_t length) {
  bt_field_array_dynamic_set_length_status (*library)(bt_field *, uint64_t) =
      dlsym(RTLD_NEXT, "bt_field_array_dynamic_set_length");
  if (!library || length > most_elements) {
    return BT_FIELD_DYNAMIC_ARRAY_SET_LENGTH_STATUS_MEMORY_ERROR;
  }
  return library(field, length);
}

/* The fields that one field of a class is made of, or more than may be. */
static uint64_t field_count(const bt_field_class *class) {
  uint64_t count = 1;
  bt_field_class_type type = bt_field_class_get_type(class);
  if (type == BT_FIELD_CLASS_TYPE_STATIC_ARRAY) {
    count += bt_field_class_array_static_get_length(class) *
             field_count(bt_field_class_array_borrow_element_field_class_const(class));
  } else if (type == BT_FIELD_CLASS_TYPE_STRUCTURE) {
    uint64_t members = bt_field_class_structure_get_member_count(class);
    for (uint64_t i = 0; i < members; i++) {
      count += field_count(bt_field_class_structure_member_borrow_field_class_const(
          bt_field_class_structure_borrow_member_by_index_const(class, i)));
    }
  }
  return count < most_elements ? count : most_elements + 1;
}

bt_field_class *bt_field_class_array_static_create(
    bt_trace_class *trace_class, bt_field_class *element_class, uint64_t length) {
  bt_field_class *(*library)(bt_trace_class *, bt_field_class *, uint64_t) =
      dlsym(RTLD_NEXT, "bt_field_class_array_static_create");
  if (!library || length > most_elements ||
      length * field_count(element_class) > most_elements) {
    return NULL;
  }
  return library(trace_class, element_class, length);
}
