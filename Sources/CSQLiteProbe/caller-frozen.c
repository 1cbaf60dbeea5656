// SPDX-License-Identifier: Apache-2.0

// The files of a frozen program of Python. PyInstaller names the files of all packages from their roots, as
// `sqlalchemy/engine/base.py` and `threading.py`: no folder separates the program's own from others.

#include "caller-frozen.h"

#include <stdio.h>
#include <string.h>

#include "process.h"

// Whether a name is in `sys.stdlib_module_names`, which a thread without the interpreter's lock cannot read. Without the
// modules that have no file, and those that Python 3.13 no longer has: a program may have a file of such a name.
static bool is_of_standard_library(const char *name, size_t length) {
  static const char names[] =
      " _aix_support _bootsubprocess _collections_abc _compat_pickle _compression _markupbase _osx_support _py_abc"
      " _pydecimal _pyio _sitebuiltins _strptime _threading_local _weakrefset abc argparse ast asyncio base64 bdb bisect"
      " bz2 cProfile calendar cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib"
      " contextvars copy copyreg csv ctypes curses dataclasses datetime dbm decimal difflib dis doctest email encodings"
      " enum filecmp fileinput fnmatch fractions ftplib functools genericpath getopt getpass gettext glob graphlib gzip"
      " hashlib heapq hmac html http imaplib importlib inspect io ipaddress json keyword linecache locale logging lzma"
      " mailbox mimetypes modulefinder multiprocessing netrc ntpath nturl2path numbers opcode operator optparse os"
      " pathlib pdb pickle pickletools pkgutil platform plistlib poplib posixpath pprint profile pstats pty py_compile"
      " pyclbr pydoc queue quopri random re reprlib rlcompleter runpy sched secrets selectors shelve shlex shutil signal"
      " site smtplib socket socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string"
      " stringprep struct subprocess symtable sysconfig tarfile tempfile textwrap threading timeit tkinter token"
      " tokenize tomllib trace traceback tracemalloc tty types typing unittest urllib uuid warnings wave weakref"
      " webbrowser wsgiref xml xmlrpc zipapp zipfile zipimport zoneinfo ";
  char word[64];
  if (length == 0 || length + 3 > sizeof word) return false;
  snprintf(word, sizeof word, " %.*s ", (int)length, name);
  return strstr(names, word) != NULL;
}

// It is not visible which of the other packages were installed, but database packages are listed.
bool is_frozen_library(const char *file, enum CSourceFiles_language language) {
  char path[1024];
  if (language != CSourceFiles_python || file[0] == '/' || file[0] == '<' || program_is_interpreter()) return false;
  if (is_of_standard_library(file, strcspn(file, "/."))) return true;
  snprintf(path, sizeof path, "/site-packages/%s", file);
  return CSourceFiles_classify(path, language, NULL) == CSourceFiles_runtime;
}
