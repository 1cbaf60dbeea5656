// SPDX-License-Identifier: Apache-2.0

// Clocks, and the name of this process.

#define _GNU_SOURCE
#include "process.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "state.h"

static int64_t clock_read(clockid_t clock) {
  struct timespec time;
  // Cannot fail: these clocks exist since Linux 2.6.39.
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t clock_now(void) { return clock_read(CLOCK_MONOTONIC); }
int64_t clock_coarse(void) { return clock_read(CLOCK_MONOTONIC_COARSE); }

int current_process(void) { return is_filtered && recording_process ? recording_process : getpid(); }

int32_t thread_id(void) {
  // Right for the first thread, where the program may not permit the call.
  if (this_thread.thread_id == 0)
    this_thread.thread_id = is_filtered ? current_process() : (int32_t)syscall(SYS_gettid);
  return this_thread.thread_id;
}

size_t read_file(const char *path, char *buffer, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  size_t count = 0;
  ssize_t got;
  while (count < size - 1 && (got = read(file, buffer + count, size - 1 - count)) > 0)
    count += (size_t)got;
  close(file);
  buffer[count] = 0;
  return count;
}

// Since 1970-01-01 00:00 UTC, to the clock tick of /proc; 0 where that is absent.
static int64_t read_process_start(void) {
  char stat[2048];
  if (read_file("/proc/self/stat", stat, sizeof stat) == 0) return 0;
  // The program's name, in parentheses, may contain spaces; the fields after it do not.
  char *field = strrchr(stat, ')');
  for (int skipped = 0; field && skipped < 20; skipped++) field = strchr(field + 1, ' ');
  if (!field) return 0;
  int64_t ticks = strtoll(field, NULL, 10);
  long per_second = sysconf(_SC_CLK_TCK);
  return clock_read(CLOCK_REALTIME) - clock_read(CLOCK_BOOTTIME) +
         ticks * (1000000000 / (per_second > 0 ? per_second : 100));
}

// Read once in each process, by one of the threads that open their first connections: the difference of two clocks is
// never the same twice.
int64_t process_start_ns(void) {
  static _Atomic int64_t start;
  static _Atomic pid_t reader, owner;
  pid_t process = current_process(), last = reader;
  if (last != process && atomic_compare_exchange_strong(&reader, &last, process)) {
    start = read_process_start();
    owner = process;
  }
  for (int tries = 0; owner != process && tries < 100; tries++) usleep(1000);
  return start;
}

static char program[64] = "unknown";
static char name[256];

static const char *last_component(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool is_interpreter(const char *program) {
  static const char *const names[] = {"python", "pypy", "php", "ruby", "perl", "tclsh", "wish",
                                      "node", "bun", "deno", "lua", "java", "Rscript", "julia"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(program, names[i], strlen(names[i])) == 0) return true;
  return false;
}

// Appends the script: `app.py` of `python3 -u app.py`, `-m http.server` of `python3 -m http.server`.
static void append_script(const char *arguments, const char *end) {
  const char *argument = arguments;
  while (argument < end && *argument == '-') {
    if (strcmp(argument, "-m") == 0 || strcmp(argument, "-c") == 0 || strcmp(argument, "-e") == 0 ||
        strcmp(argument, "-r") == 0) {
      bool has_module = argument[1] == 'm';
      strncat(name, " ", sizeof name - strlen(name) - 1);
      strncat(name, argument, sizeof name - strlen(name) - 1);
      argument += strlen(argument) + 1;
      if (!has_module) return;
      strncat(name, " ", sizeof name - strlen(name) - 1);
      break;
    }
    argument += strlen(argument) + 1;
  }
  if (argument >= end) return;
  if (name[strlen(name) - 1] != ' ') strncat(name, " ", sizeof name - strlen(name) - 1);
  strncat(name, last_component(argument), sizeof name - strlen(name) - 1);
}

// Appends the main class of Java, or the file of -jar: `shop.Main` of `java -cp a.jar:. shop.Main`.
static void append_main_class(const char *argument, const char *end) {
  // The options that take the next argument.
  static const char *const options[] = {
      "-cp", "-classpath", "--class-path", "-p", "--module-path", "--upgrade-module-path", "--add-modules",
      "--add-exports", "--add-opens", "--add-reads", "--limit-modules", "--patch-module", "--source",
      "--enable-native-access"};
  for (; argument < end && *argument == '-'; argument += strlen(argument) + 1)
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
      if (strcmp(argument, options[i]) == 0) {
        argument += strlen(argument) + 1;
        break;
      }
  if (argument >= end) return;
  // Of a module, `shop/shop.Main`, nothing is left out.
  const char *last = strrchr(argument, '.');
  bool is_file = last && (strcmp(last, ".jar") == 0 || strcmp(last, ".java") == 0);
  strncat(name, " ", sizeof name - strlen(name) - 1);
  strncat(name, is_file ? last_component(argument) : argument, sizeof name - strlen(name) - 1);
}

static bool is_of_interpreter;

static void find_names(void) {
  // Java's class path alone may have many kilobytes.
  static char line[131072];
  size_t count = read_file("/proc/self/cmdline", line, sizeof line);
  if (count == 0) {
    strcpy(name, program);
    return;
  }
  snprintf(program, sizeof program, "%.63s", last_component(line));
  snprintf(name, sizeof name, "%s", program);
  is_of_interpreter = is_interpreter(program);
  void (*append)(const char *, const char *) = strcmp(program, "java") == 0 ? append_main_class : append_script;
  if (is_of_interpreter) append(line + strlen(line) + 1, line + count);
}

static pthread_once_t names_once = PTHREAD_ONCE_INIT;

// The program and, for an interpreter, its script, such as `python3 app.py`.
const char *process_name(void) {
  pthread_once(&names_once, find_names);
  return name;
}

const char *program_name(void) {
  pthread_once(&names_once, find_names);
  return program;
}

bool program_is_interpreter(void) {
  pthread_once(&names_once, find_names);
  return is_of_interpreter;
}

static char folder[4096];

void find_start_folder(void) {
  if (getcwd(folder, sizeof folder - 1)) strcat(folder, "/");
}

const char *start_folder(void) { return folder; }
