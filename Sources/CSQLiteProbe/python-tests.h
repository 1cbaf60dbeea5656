// SPDX-License-Identifier: Apache-2.0

#pragma once

// Names the tests of Python's unittest, once the program has loaded it. Called without locks.
void name_python_tests(void);
