// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TraceReading

struct WidenedTraceTests {
  private func metadata(byteOrder: String, integers: String = "") -> String {
    let number =
      "integer { size = 32; align = 8; signed = 1; encoding = none;\(integers) base = 10; }"
    return """
      trace {
      \tmajor = 1;
      \tbyte_order = \(byteOrder);
      };
      stream {
      \tevent.context := struct {
      \t\t\(number) _vpid;
      \t\t\(number) _vtid;
      \t\tinteger { size = 8; align = 8; signed = 1; encoding = UTF8; base = 10; } _procname[17];
      \t};
      };
      """
  }

  @Test func readsBothIdentifiersAsOneNumber() throws {
    let text = try #require(WidenedTrace.widened(metadata(byteOrder: "le")))
    #expect(text.contains("byte_order = le; } _vpid_vtid;"))
    #expect(text.contains("_procname_word_2;") && !text.contains("_vpid;"))
  }

  /// Their halves would change places.
  @Test func leavesTheIdentifiersOfTheOtherByteOrder() throws {
    for text in [
      metadata(byteOrder: "be"), metadata(byteOrder: "le", integers: " byte_order = be;"),
    ] {
      let widened = try #require(WidenedTrace.widened(text))
      #expect(widened.contains("_procname_word_2;"))
      #expect(widened.contains("_vpid;") && widened.contains("_vtid;"))
      #expect(!widened.contains("vpid_vtid"))
    }
  }
}
