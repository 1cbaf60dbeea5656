/* SPDX-License-Identifier: Apache-2.0 */

/* Swift's Mutex waits within libswiftSynchronization, which is not built with the thread sanitizer:
 * that sees no lock there, and takes what the lock guards for a race. So a program that is built with
 * the sanitizer has these in place of the library's functions, calls them, and notifies the sanitizer.
 *
 * They are methods of _MutexHandle, which every Mutex inlines its calls of: _lockSlow(_:) with the
 * thread's number, and _unlockSlow(). Delete when the toolchain's library notifies the sanitizer. */

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SELF __attribute__((swift_context)) void *mutex
#define SWIFT __attribute__((swiftcall))

void __tsan_acquire(void *address);
void __tsan_release(void *address);

typedef SWIFT void (*Lock)(uint32_t thread, SELF);
typedef SWIFT void (*Unlock)(SELF);

SWIFT void CThreadSanitizer_lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void CThreadSanitizer_unlock(SELF) __asm__(UNLOCK);

SWIFT void CThreadSanitizer_lock(uint32_t thread, SELF) {
  ((Lock)dlsym(RTLD_NEXT, LOCK))(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT void CThreadSanitizer_unlock(SELF) {
  __tsan_release(mutex);
  ((Unlock)dlsym(RTLD_NEXT, UNLOCK))(mutex);
}

#endif
#endif
