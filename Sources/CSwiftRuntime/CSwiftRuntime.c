// SPDX-License-Identifier: Apache-2.0
#include "CSwiftRuntime.h"

// Has no name in Swift: https://github.com/swiftlang/swift/blob/main/docs/Runtime.md
extern void *swift_tryRetain(void *object);

void *CSwiftRuntime_tryRetain(void *object) { return swift_tryRetain(object); }
