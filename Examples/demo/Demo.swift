// SPDX-License-Identifier: Apache-2.0

// No code: `swift build --target demo` builds the programs that this target depends on.
