// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing

@testable import TraceRecording

@Suite struct ProcessNamesTests {
  @Test(arguments: [
    (["/usr/bin/python3", "-u", "/srv/app.py", "x"], "python3 app.py"),
    (["python3", "-m", "http.server"], "python3 -m http.server"),
    (["python3", "-c", "print(1)"], "python3 -c"), (["/srv/bin/shop", "--port", "1"], "shop"),
  ]) func aProcessIsNamedByItsProgramAndScript(words: [String], name: String) {
    #expect(ProcessNames.name(ofCommand: words) == name)
  }

  @Test func aProcessThatWasNotSeenKeepsTheNameOfTheTrace() {
    var names = ProcessNames()
    names.add([1 << 30])
    #expect(names.name(of: ProcessIdentity(id: 1 << 30, name: "shop")) == "shop")
  }
}
