// SPDX-License-Identifier: Apache-2.0

// Names each test of Python's unittest in STORE_TEST_NAME, as pytest names its own: Django's runner, and others that run
// unittest's classes, set no name. The name is in the environment of the process alone: os.environ stays as it is, and a
// name that cannot be found out is no error of the test.

#include "python-tests.h"

#include <stdbool.h>
#include <stddef.h>

#include "caller-python-api.h"
#include "caller-python.h"
#include "recording.h"

// A test is named `tests/test_app.py::AppTests::test_list`, with its phase. `__unittest` leaves a frame out of unittest's
// tracebacks. The test that opens the first connection runs already.
static const char source[] =
    "import functools, os, sys\n"
    "from os import putenv, unsetenv\n"
    "from os.path import relpath\n"
    "__unittest = True\n"
    "folder = os.getcwd()\n"
    "phases = {'_callSetUp': ' (setup)', '_callTestMethod': '', '_callTearDown': ' (teardown)'}\n"
    "known = set()\n"
    "def begin(test, phase):\n"
    "    try:\n"
    "        kind = type(test)\n"
    "        file = getattr(sys.modules.get(kind.__module__), '__file__', None)\n"
    "        file = relpath(file, folder) if file else kind.__module__\n"
    "        name = f'{file}::{kind.__qualname__}::{test._testMethodName}{phases[phase]}'\n"
    "        putenv(b'STORE_TEST_NAME', os.fsencode(name))\n"
    "    except Exception:\n"
    "        pass\n"
    "def named(original, phase):\n"
    "    @functools.wraps(original)\n"
    "    def run(self, *rest):\n"
    "        begin(self, phase)\n"
    "        try:\n"
    "            return original(self, *rest)\n"
    "        finally:\n"
    "            unsetenv(b'STORE_TEST_NAME')\n"
    "    return run\n"
    "def name_phases(test):\n"
    "    for kind in set(type(test).__mro__) - known:\n"
    "        known.add(kind)\n"
    "        for phase in phases.keys() & vars(kind).keys():\n"
    "            setattr(kind, phase, named(vars(kind)[phase], phase))\n"
    "def name_running(frame, code, phase=None):\n"
    "    while frame:\n"
    "        test = frame.f_locals.get('self') if frame.f_code is code else None\n"
    "        if test is not None:\n"
    "            name_phases(test)\n"
    "            if phase in phases:\n"
    "                begin(test, phase)\n"
    "        phase, frame = frame.f_code.co_name, frame.f_back\n"
    "def start():\n"
    "    kind = sys.modules['unittest.case'].TestCase\n"
    "    original = kind.run\n"
    "    @functools.wraps(original)\n"
    "    def run(self, *rest, **options):\n"
    "        name_phases(self)\n"
    "        return original(self, *rest, **options)\n"
    "    kind.run = run\n"
    "    for frame in sys._current_frames().values():\n"
    "        name_running(frame, original.__code__)\n"
    "if '_pytest' not in sys.modules and not {'STORE_TEST_NAME', 'PYTEST_CURRENT_TEST'} & os.environ.keys():\n"
    "    start()\n";

enum { FILE_INPUT = 257 };
static bool is_done;

static bool has_module(const char *name) {
  void *modules = python.of_sys("modules");
  void *module = modules ? python.mapping_item(modules, name) : NULL;
  release_object(module);
  return module != NULL;
}

static void run_source(void) {
  bool is_complete = python.compile && python.evaluate && python.dictionary && python.builtins && python.set_item;
  if (!is_complete || !has_module("unittest.case") || __atomic_exchange_n(&is_done, true, __ATOMIC_RELAXED)) return;
  void *code = python.compile(source, "<storescope>", FILE_INPUT), *globals = python.dictionary();
  if (code && globals && python.set_item(globals, "__builtins__", python.builtins()) == 0)
    release_object(python.evaluate(code, globals, globals));
  release_object(globals);
  release_object(code);
}

void name_python_tests(void) {
  if (!is_recording() || __atomic_load_n(&is_done, __ATOMIC_RELAXED)) return;
  with_python(run_source);
}
