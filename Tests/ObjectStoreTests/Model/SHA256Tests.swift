// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ObjectStore

@Suite struct SHA256Tests {
  // The examples of FIPS 180-4, and sha256sum's results for "x" repeated.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "x", count: 55),
      "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072"
    ),
    (
      String(repeating: "x", count: 64),
      "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c"
    ),
    (
      String(repeating: "x", count: 1000),
      "44f8354494a5ba03ba1792a8d3e9c534c47a9181980fde7a3f44b06ef2ae7c7f"
    ),
  ])
  func agreesWithTheStandard(text: String, hash: String) {
    let hex = SHA256.hash(text.utf8).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }
    #expect(hex.joined() == hash)
  }
}
