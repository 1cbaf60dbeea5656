// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A page in a browser of its own.
final class BrowserPage {
  private let browser: Chromium
  private let session: String
  private let runsScripts: Bool

  enum Key: String {
    case tab = "Tab", enter = "Enter", escape = "Escape", home = "Home", end = "End"
    case left = "ArrowLeft", right = "ArrowRight", plus = "+", minus = "-", zero = "0"

    var code: Int {
      switch self {
      case .tab: 9
      case .enter: 13
      case .escape: 27
      case .end: 35
      case .home: 36
      case .left: 37
      case .right: 39
      case .plus: 187
      case .minus: 189
      case .zero: 48
      }
    }

    /// The text that the key writes; an action has none.
    var text: String? {
      switch self {
      case .enter: "\r"
      case .plus, .minus, .zero: rawValue
      default: nil
      }
    }
  }

  /// Opens a file in a window of a size.
  ///
  /// - Parameter scripts: whether the page may run its own.
  init(_ path: String, width: Int = 1400, height: Int = 1000, scripts: Bool = true) throws {
    guard let program = Chromium.program else {
      throw Chromium.Failure(description: "BROWSER names no browser")
    }
    browser = try Chromium(program)
    runsScripts = scripts
    let target = try browser.firstPage()
    session =
      try browser.send("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"]
      as? String ?? ""
    for domain in ["Page", "Runtime", "Log", "Network"] { try send("\(domain).enable") }
    try resize(width: width, height: height)
    // A hidden window draws no frames.
    try send("Page.bringToFront")
    try send("Emulation.setFocusEmulationEnabled", ["enabled": true])
    if !scripts { try send("Emulation.setScriptExecutionDisabled", ["value": true]) }
    try send("Page.navigate", ["url": URL(filePath: path).absoluteString])
    _ = try browser.event("Page.loadEventFired")
    try settle()
  }

  @discardableResult
  func send(_ method: String, _ parameters: Chromium.JSON = [:]) throws -> Chromium.JSON {
    try browser.send(method, parameters, session: session)
  }

  func resize(width: Int, height: Int) throws {
    try send(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600])
  }

  /// Waits until the requested drawing is done; returns at once without scripts.
  func settle() throws {
    guard runsScripts else { return }
    try evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
  }

  // MARK: - Reading

  /// The value of an expression.
  @discardableResult
  func evaluate(_ expression: String) throws -> Any? {
    let answer = try send(
      "Runtime.evaluate",
      ["expression": expression, "returnByValue": true, "awaitPromise": true])
    if let problem = answer["exceptionDetails"] as? Chromium.JSON {
      let exception = problem["exception"] as? Chromium.JSON
      throw Chromium.Failure(
        description: "\(expression): \(exception?["description"] ?? problem["text"] ?? problem)")
    }
    return (answer["result"] as? Chromium.JSON)?["value"]
  }

  func text(_ expression: String) throws -> String { try evaluate(expression) as? String ?? "" }
  func texts(_ expression: String) throws -> [String] {
    try evaluate(expression) as? [String] ?? []
  }
  func number(_ expression: String) throws -> Double {
    (try evaluate(expression) as? NSNumber)?.doubleValue ?? .nan
  }
  func isTrue(_ expression: String) throws -> Bool { try evaluate(expression) as? Bool ?? false }

  /// A column of a table's rows that are shown, by the column's title.
  func column(_ title: String, of table: String) throws -> [String] {
    try texts(
      """
      (() => {
        const table = document.querySelector("table[data-table=\(table)]");
        const at = [...table.tHead.rows[0].cells].findIndex((cell) => cell.dataset.title === "\(title)");
        return [...table.tBodies].filter((row) => !row.hidden).map((row) => row.rows[0].cells[at].textContent);
      })()
      """)
  }

  /// The number among the totals.
  func total(_ name: String) throws -> String {
    try text("document.querySelector('#totals [data-field=\"\(name)\"]').textContent")
  }

  /// The page's error messages, requests to the network beyond itself, and attempted pop-ups.
  func complaints() throws -> [String] {
    // Events come before the answer to a later command.
    try evaluate("0")
    return browser.events.compactMap { event in
      let parameters = event["params"] as? Chromium.JSON ?? [:]
      switch event["method"] as? String {
      case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded",
        "Page.javascriptDialogOpening":
        return "\(event)"
      case "Network.requestWillBeSent":
        return parameters["type"] as? String == "Document" ? nil : "\(parameters["request"] ?? "")"
      default: return nil
      }
    }
  }

  // MARK: - Doing

  func click(_ selector: String) throws {
    let (x, y) = try middle(of: selector)
    try press(x, y, to: [])
  }

  /// Presses at a point, moves on to others, and releases.
  func press(_ x: Double, _ y: Double, to points: [(Double, Double)], shift: Bool = false) throws {
    let modifiers = shift ? 8 : 0
    func mouse(_ type: String, _ x: Double, _ y: Double) throws {
      try send(
        "Input.dispatchMouseEvent",
        [
          "type": type, "x": x, "y": y, "button": "left",
          "buttons": type == "mouseReleased" ? 0 : 1,
          "clickCount": 1, "modifiers": modifiers,
        ])
    }
    try mouse("mousePressed", x, y)
    for (x, y) in points { try mouse("mouseMoved", x, y) }
    try mouse("mouseReleased", points.last?.0 ?? x, points.last?.1 ?? y)
    try settle()
  }

  /// Drags over a track, from one part of its width to another.
  func dragOverTracks(from: Double, to: Double, shift: Bool = false) throws {
    let plot = try box(of: ".track svg")
    let y = plot.y + plot.height / 2
    func x(_ part: Double) -> Double { plot.x + plot.width * part }
    try press(x(from), y, to: [(x((from + to) / 2), y), (x(to), y)], shift: shift)
  }

  func hoverOver(_ selector: String, at part: Double = 0.5) throws {
    let box = try box(of: selector)
    try send(
      "Input.dispatchMouseEvent",
      ["type": "mouseMoved", "x": box.x + box.width * part, "y": box.y + box.height / 2])
    try settle()
  }

  func wheel(_ selector: String, delta: Double, control: Bool) throws {
    let (x, y) = try middle(of: selector)
    try send(
      "Input.dispatchMouseEvent",
      [
        "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": delta,
        "modifiers": control ? 2 : 0,
      ])
    try settle()
  }

  func press(_ key: Key, shift: Bool = false) throws {
    var event: Chromium.JSON = [
      "key": key.rawValue, "windowsVirtualKeyCode": key.code, "modifiers": shift ? 8 : 0,
    ]
    if let text = key.text { event["text"] = text }
    event["type"] = key.text == nil ? "rawKeyDown" : "keyDown"
    try send("Input.dispatchKeyEvent", event)
    event["type"] = "keyUp"
    try send("Input.dispatchKeyEvent", event)
    try settle()
  }

  func type(_ text: String, into selector: String) throws {
    try evaluate("document.querySelector(`\(selector)`).focus()")
    try send("Input.insertText", ["text": text])
    try settle()
  }

  private func middle(of selector: String) throws -> (Double, Double) {
    let box = try box(of: selector)
    return (box.x + box.width / 2, box.y + box.height / 2)
  }

  /// Where an element is in the window, into which it is scrolled.
  func box(of selector: String) throws -> (x: Double, y: Double, width: Double, height: Double) {
    let numbers = try evaluate(
      """
      (() => {
        const found = document.querySelector(`\(selector)`);
        found.scrollIntoView({ block: "center", behavior: "instant" });
        const box = found.getBoundingClientRect();
        return [box.x, box.y, box.width, box.height];
      })()
      """)
    guard let box = (numbers as? [NSNumber])?.map(\.doubleValue), box.count == 4 else {
      throw Chromium.Failure(description: "nothing is \(selector)")
    }
    return (box[0], box[1], box[2], box[3])
  }

  /// A picture of the window as PNG, for people to look at.
  func screenshot(to path: String, full: Bool = false) throws {
    let answer = try send(
      "Page.captureScreenshot", ["format": "png", "captureBeyondViewport": full])
    let data = Data(base64Encoded: answer["data"] as? String ?? "")
    try data?.write(to: URL(filePath: path))
  }
}
