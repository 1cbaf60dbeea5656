// SPDX-License-Identifier: Apache-2.0
#ifndef CSwiftRuntime_h
#define CSwiftRuntime_h

/// Retains an object, unless its last reference is just going: then NULL.
void *_Nullable CSwiftRuntime_tryRetain(void *_Nonnull object);

#endif
