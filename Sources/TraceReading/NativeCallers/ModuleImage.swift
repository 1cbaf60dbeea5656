// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// An ELF file of 64 bits, as far as addresses need it.
struct ModuleImage {
  /// When its content was last changed, in nanoseconds since 1970.
  let modified: Nanoseconds
  /// The lowest address that it is linked for: 0, except for programs that are not relocatable.
  let base: UInt64

  /// Nil if the file does not exist.
  init?(path: String) {
    // A symbolizer reads a command a line, with the path in quotes.
    guard path.hasPrefix("/"), !path.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") })
    else { return nil }
    // A trace may name any file: one that is a pipe must not be waited for.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let base = Self.base(of: file)
    else { return nil }
    modified =
      Nanoseconds(status.st_mtim.tv_sec) * 1_000_000_000 + Nanoseconds(status.st_mtim.tv_nsec)
    self.base = base
  }

  private static func base(of file: CInt) -> UInt64? {
    guard let header: Elf64_Ehdr = read(file, at: 0),
      header.e_ident.0 == 0x7f, header.e_ident.1 == UInt8(ascii: "E"),
      // ELFCLASS64, ELFDATA2LSB.
      header.e_ident.4 == 2, header.e_ident.5 == 1,
      Int(header.e_phentsize) == MemoryLayout<Elf64_Phdr>.size
    else { return nil }
    var base: UInt64?
    for index in 0..<UInt64(header.e_phnum) {
      let (offset, overflow) = header.e_phoff.addingReportingOverflow(
        index * UInt64(header.e_phentsize))
      guard !overflow, let offset = off_t(exactly: offset),
        let segment: Elf64_Phdr = read(file, at: offset)
      else { return nil }
      // PT_LOAD
      if segment.p_type == 1 { base = min(base ?? .max, segment.p_vaddr & ~0xfff) }
    }
    return base
  }

  private static func read<Value: BitwiseCopyable>(_ file: CInt, at offset: off_t) -> Value? {
    withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
      let size = MemoryLayout<Value>.size
      return pread(file, buffer.baseAddress, size, offset) == size ? buffer[0] : nil
    }
  }
}
