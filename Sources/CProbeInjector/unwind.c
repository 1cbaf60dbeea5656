// SPDX-License-Identifier: Apache-2.0

// DWARF 4, section 6.4; the encodings of pointers are those of the Linux Standard Base.

#include "unwind.h"

#include <string.h>

enum { MAX_RECORD = 4096, MAX_SAVED = 8 };

struct cursor {
  const unsigned char *at, *end;
  // Where the first byte of the buffer is in the other process.
  const unsigned char *buffer;
  uintptr_t address;
};

static uint64_t read_bytes(struct cursor *cursor, unsigned count) {
  uint64_t value = 0;
  if ((size_t)(cursor->end - cursor->at) < count) {
    cursor->at = cursor->end;
    return 0;
  }
  memcpy(&value, cursor->at, count);
  cursor->at += count;
  return value;
}

static uint64_t read_unsigned(struct cursor *cursor) {
  uint64_t value = 0;
  for (unsigned shift = 0; cursor->at < cursor->end && shift < 64; shift += 7) {
    unsigned char byte = *cursor->at++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) break;
  }
  return value;
}

static int64_t read_signed(struct cursor *cursor) {
  uint64_t value = 0;
  unsigned shift = 0;
  unsigned char byte = 0;
  while (cursor->at < cursor->end && shift < 64) {
    byte = *cursor->at++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
    if (!(byte & 0x80)) break;
  }
  if (shift < 64 && byte & 0x40) value |= ~(uint64_t)0 << shift;
  return (int64_t)value;
}

// A pointer in the encoding DW_EH_PE_pcrel, absolute, or relative to `base`.
static uint64_t read_pointer(struct cursor *cursor, unsigned char encoding, uintptr_t base) {
  uintptr_t own = cursor->address + (uintptr_t)(cursor->at - cursor->buffer);
  uint64_t value;
  switch (encoding & 0x0f) {
    case 0x01: value = read_unsigned(cursor); break;
    case 0x02: value = read_bytes(cursor, 2); break;
    case 0x03: value = read_bytes(cursor, 4); break;
    case 0x09: value = (uint64_t)read_signed(cursor); break;
    case 0x0a: value = (uint64_t)(int16_t)read_bytes(cursor, 2); break;
    case 0x0b: value = (uint64_t)(int32_t)read_bytes(cursor, 4); break;
    default: value = read_bytes(cursor, 8);
  }
  if ((encoding & 0x70) == 0x10) value += own;
  if ((encoding & 0x70) == 0x30) value += base;
  return value;
}

// MARK: - Records

struct record {
  unsigned char bytes[MAX_RECORD];
  struct cursor cursor;
};

// A CIE or an FDE, without the word of its length.
static bool read_record(const struct remote *remote, uintptr_t address, struct record *record) {
  uint32_t length;
  if (!remote_read(remote, address, &length, sizeof length) || length == 0 || length > MAX_RECORD) return false;
  record->cursor = (struct cursor){record->bytes, record->bytes + length, record->bytes, address + 4};
  return remote_read(remote, address + 4, record->bytes, length);
}

struct description {
  uint64_t code_unit;
  int64_t data_unit;
  unsigned char pointer_encoding;
  bool has_augmentation, is_signal;
  struct record common, own;
  uint64_t start, size;
};

static bool read_common(const struct remote *remote, uintptr_t address, struct description *description) {
  if (!read_record(remote, address, &description->common)) return false;
  struct cursor *cursor = &description->common.cursor;
  read_bytes(cursor, 4);
  uint64_t version = read_bytes(cursor, 1);
  const char *augmentation = (const char *)cursor->at;
  while (cursor->at < cursor->end && read_bytes(cursor, 1) != 0) {}
  description->code_unit = read_unsigned(cursor);
  description->data_unit = read_signed(cursor);
  if (version == 1) read_bytes(cursor, 1);
  else read_unsigned(cursor);
  if (augmentation[0] != 'z') return augmentation[0] == 0;
  uint64_t length = read_unsigned(cursor);
  const unsigned char *instructions = cursor->at + length;
  description->has_augmentation = true;
  for (const char *letter = augmentation + 1; *letter; letter++) {
    if (*letter == 'R') description->pointer_encoding = (unsigned char)read_bytes(cursor, 1);
    else if (*letter == 'L') read_bytes(cursor, 1);
    else if (*letter == 'S') description->is_signal = true;
    else if (*letter == 'P') read_pointer(cursor, (unsigned char)read_bytes(cursor, 1), 0);
    else return false;
  }
  if (instructions > cursor->end) return false;
  cursor->at = instructions;
  return true;
}

// The address of the FDE by the sorted table of .eh_frame_hdr; 0 without one.
static uintptr_t find_record(const struct remote *remote, uintptr_t table, uintptr_t pc) {
  unsigned char header[4];
  int32_t start, entry[2];
  uint32_t count;
  // Encodings as all linkers write them: a count of 4 bytes, and offsets from the header.
  if (!remote_read(remote, table, header, 4) || header[0] != 1 || header[2] != 0x03 || header[3] != 0x3b) return 0;
  if (!remote_read(remote, table + 4, &start, 4) || !remote_read(remote, table + 8, &count, 4)) return 0;
  uint32_t low = 0, high = count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (!remote_read(remote, table + 12 + (uintptr_t)middle * 8, entry, 8)) return 0;
    if (table + (uintptr_t)(intptr_t)entry[0] <= pc) low = middle + 1;
    else high = middle;
  }
  if (low == 0 || !remote_read(remote, table + 12 + (uintptr_t)(low - 1) * 8, entry, 8)) return 0;
  return table + (uintptr_t)(intptr_t)entry[1];
}

static bool describe(const struct remote *remote, uintptr_t table, uintptr_t pc, struct description *description) {
  uintptr_t address = find_record(remote, table, pc);
  memset(description, 0, sizeof *description);
  if (address == 0 || !read_record(remote, address, &description->own)) return false;
  struct cursor *cursor = &description->own.cursor;
  uint32_t distance = (uint32_t)read_bytes(cursor, 4);
  if (!read_common(remote, address + 4 - distance, description)) return false;
  description->start = read_pointer(cursor, description->pointer_encoding, 0);
  description->size = read_pointer(cursor, description->pointer_encoding & 0x0f, 0);
  if (description->has_augmentation) {
    uint64_t length = read_unsigned(cursor);
    if (length > (uint64_t)(cursor->end - cursor->at)) return false;
    cursor->at += length;
  }
  return pc >= description->start && pc < description->start + description->size;
}

// MARK: - Rules

enum rule { RULE_SAME, RULE_AT, RULE_IN, RULE_AT_EXPRESSION, RULE_UNDEFINED, RULE_UNKNOWN };

struct rules {
  uint64_t base_register;
  int64_t base_offset;
  // Instead of a register and an offset, where its end is not NULL.
  struct cursor base_expression;
  struct {
    enum rule rule;
    int64_t value;
    struct cursor expression;
  } of[REGISTERS];
};

static void set_rule(struct rules *rules, uint64_t number, enum rule rule, int64_t value) {
  if (number >= REGISTERS) return;
  rules->of[number].rule = rule;
  rules->of[number].value = value;
}

static struct cursor read_expression(struct cursor *cursor) {
  uint64_t length = read_unsigned(cursor);
  struct cursor expression = *cursor;
  cursor->at = length > (uint64_t)(cursor->end - cursor->at) ? cursor->end : cursor->at + length;
  expression.end = cursor->at;
  return expression;
}

// The operations that compilers and linkers write: those of functions that align the stack, and of the PLT.
static bool evaluate(const struct remote *remote, struct cursor expression, const struct unwind_frame *frame, uint64_t *value) {
  enum { MAX_DEPTH = 16 };
  uint64_t stack[MAX_DEPTH];
  int depth = 0;
  while (expression.at < expression.end) {
    unsigned char code = (unsigned char)read_bytes(&expression, 1);
    bool is_binary = code == 0x1a || code == 0x22 || code == 0x24 || code == 0x2a;
    bool pushes = code == 0x08 || code == 0x09 || (code >= 0x30 && code < 0x50) || (code >= 0x70 && code <= 0x80);
    if (depth < (is_binary ? 2 : pushes ? 0 : 1) || (pushes && depth == MAX_DEPTH)) return false;
    if (is_binary) depth--;
    uint64_t *top = &stack[depth > 0 ? depth - 1 : 0], right = is_binary ? stack[depth] : 0;
    if (code >= 0x70 && code <= 0x80) stack[depth++] = frame->registers[code - 0x70] + (uint64_t)read_signed(&expression);
    else if (code >= 0x30 && code < 0x50) stack[depth++] = code - 0x30u;
    else if (code == 0x08) stack[depth++] = read_bytes(&expression, 1);
    else if (code == 0x09) stack[depth++] = (uint64_t)(int8_t)read_bytes(&expression, 1);
    else if (code == 0x1a) *top &= right;
    else if (code == 0x22) *top += right;
    else if (code == 0x24) *top <<= right & 63;
    else if (code == 0x2a) *top = (int64_t)*top >= (int64_t)right;
    else if (code == 0x23) *top += read_unsigned(&expression);
    else if (code != 0x06 || !remote_read(remote, *top, top, sizeof *top)) return false;
  }
  *value = stack[0];
  return depth == 1;
}

// Executes instructions up to an address; returns false for one that is not known.
static bool execute(struct cursor *cursor, const struct description *description, uintptr_t pc,
                    const struct rules *initial, struct rules *rules) {
  struct rules saved[MAX_SAVED];
  int depth = 0;
  uintptr_t at = description->start;
  while (cursor->at < cursor->end) {
    unsigned char code = (unsigned char)read_bytes(cursor, 1), low = code & 0x3f;
    uint64_t number;
    switch (code & 0xc0 ? code & 0xc0 : code) {
      case 0x40: at += low * description->code_unit; break;
      case 0x80: set_rule(rules, low, RULE_AT, (int64_t)read_unsigned(cursor) * description->data_unit); break;
      case 0xc0: if (low < REGISTERS) rules->of[low] = initial->of[low]; break;
      case 0x00: break;
      case 0x01: at = read_pointer(cursor, description->pointer_encoding, 0); break;
      case 0x02: at += read_bytes(cursor, 1) * description->code_unit; break;
      case 0x03: at += read_bytes(cursor, 2) * description->code_unit; break;
      case 0x04: at += read_bytes(cursor, 4) * description->code_unit; break;
      case 0x05:
        number = read_unsigned(cursor);
        set_rule(rules, number, RULE_AT, (int64_t)read_unsigned(cursor) * description->data_unit);
        break;
      case 0x06:
        number = read_unsigned(cursor);
        if (number < REGISTERS) rules->of[number] = initial->of[number];
        break;
      case 0x07: set_rule(rules, read_unsigned(cursor), RULE_UNDEFINED, 0); break;
      case 0x08: set_rule(rules, read_unsigned(cursor), RULE_SAME, 0); break;
      case 0x09:
        number = read_unsigned(cursor);
        set_rule(rules, number, RULE_IN, (int64_t)read_unsigned(cursor));
        break;
      case 0x0a:
        if (depth == MAX_SAVED) return false;
        saved[depth++] = *rules;
        break;
      case 0x0b:
        if (depth == 0) return false;
        *rules = saved[--depth];
        break;
      case 0x0c:
        rules->base_register = read_unsigned(cursor);
        rules->base_offset = (int64_t)read_unsigned(cursor);
        rules->base_expression.end = NULL;
        break;
      case 0x0d: rules->base_register = read_unsigned(cursor); break;
      case 0x0e: rules->base_offset = (int64_t)read_unsigned(cursor); break;
      case 0x0f:
        rules->base_expression = read_expression(cursor);
        break;
      case 0x10:
      case 0x16:
        number = read_unsigned(cursor);
        set_rule(rules, number, code == 0x10 ? RULE_AT_EXPRESSION : RULE_UNKNOWN, 0);
        struct cursor expression = read_expression(cursor);
        if (number < REGISTERS) rules->of[number].expression = expression;
        break;
      case 0x11:
        number = read_unsigned(cursor);
        set_rule(rules, number, RULE_AT, read_signed(cursor) * description->data_unit);
        break;
      case 0x12:
        rules->base_register = read_unsigned(cursor);
        rules->base_offset = read_signed(cursor) * description->data_unit;
        rules->base_expression.end = NULL;
        break;
      case 0x13: rules->base_offset = read_signed(cursor) * description->data_unit; break;
      case 0x2e: read_unsigned(cursor); break;
      default: return false;
    }
    if (at > pc) break;
  }
  return true;
}

static enum unwind_step apply(const struct remote *remote, const struct rules *rules, struct unwind_frame *frame) {
  if (rules->base_register >= REGISTERS) return UNWIND_FAILED;
  const struct unwind_frame old = *frame;
  uint64_t base = old.registers[rules->base_register] + (uint64_t)rules->base_offset, at;
  if (rules->base_expression.end && !evaluate(remote, rules->base_expression, &old, &base)) return UNWIND_FAILED;
  // A frame is above those that it calls.
  if (base <= old.registers[REGISTER_RSP] - 8) return UNWIND_FAILED;
  if (rules->of[REGISTER_RA].rule == RULE_UNDEFINED) return UNWIND_LAST;
  if (rules->of[REGISTER_RA].rule != RULE_AT) return UNWIND_FAILED;
  for (int i = 0; i < REGISTERS; i++) {
    int64_t value = rules->of[i].value;
    switch (rules->of[i].rule) {
      case RULE_SAME: case RULE_UNDEFINED: break;
      case RULE_UNKNOWN: return UNWIND_FAILED;
      case RULE_IN: frame->registers[i] = value < REGISTERS ? old.registers[value] : 0; break;
      case RULE_AT_EXPRESSION:
        if (!evaluate(remote, rules->of[i].expression, &old, &at)) return UNWIND_FAILED;
        if (!remote_read(remote, at, &frame->registers[i], 8)) return UNWIND_FAILED;
        break;
      case RULE_AT:
        if (!remote_read(remote, base + (uint64_t)value, &frame->registers[i], 8)) return UNWIND_FAILED;
    }
  }
  frame->registers[REGISTER_RSP] = base;
  return frame->registers[REGISTER_RA] == 0 ? UNWIND_LAST : UNWIND_CALLER;
}

// Code that a program compiles while it runs has no descriptions; such compilers keep the frame pointer.
static enum unwind_step follow_frame_pointer(const struct remote *remote, struct unwind_frame *frame, bool is_innermost) {
  uint64_t words[2], base = frame->registers[REGISTER_RBP];
  if (is_innermost || base <= frame->registers[REGISTER_RSP] - 8 || base % 8 != 0) return UNWIND_FAILED;
  if (!remote_read(remote, base, words, sizeof words)) return UNWIND_FAILED;
  frame->registers[REGISTER_RBP] = words[0];
  frame->registers[REGISTER_RSP] = base + 16;
  frame->registers[REGISTER_RA] = words[1];
  return words[1] == 0 ? UNWIND_LAST : UNWIND_CALLER;
}

enum unwind_step unwind(const struct remote *remote, struct unwind_frame *frame, bool is_innermost) {
  // A return address may be that of the next function.
  uintptr_t pc = frame->registers[REGISTER_RA] - (is_innermost ? 0 : 1);
  const struct remote_object *object = remote_object_at(remote, pc);
  if (!object) return follow_frame_pointer(remote, frame, is_innermost);
  struct description description;
  if (object->frames == 0 || !describe(remote, object->frames, pc, &description)) return UNWIND_FAILED;
  struct rules initial = {0}, rules = {0};
  if (!execute(&description.common.cursor, &description, ~(uintptr_t)0, &initial, &rules)) return UNWIND_FAILED;
  initial = rules;
  if (!execute(&description.own.cursor, &description, pc, &initial, &rules)) return UNWIND_FAILED;
  return apply(remote, &rules, frame);
}
