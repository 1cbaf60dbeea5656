// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Whether this program was built with the address sanitizer, which takes terabytes of address space
/// and makes each step some times slower.
public let hasAddressSanitizer = dlsym(nil, "__asan_init") != nil
