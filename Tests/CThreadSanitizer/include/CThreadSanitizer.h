/* SPDX-License-Identifier: Apache-2.0 */

#ifndef CTHREADSANITIZER_H
#define CTHREADSANITIZER_H

/* Nothing to call: see CThreadSanitizer.c. */

#endif
