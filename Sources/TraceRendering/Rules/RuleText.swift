// SPDX-License-Identifier: Apache-2.0

public import TraceAnalysis

extension Rules {
  /// Every rule with its law; it ends in a newline.
  public static func list(_ style: TextStyle = .plain) -> String {
    var drawing = PlanDrawing(style: style)
    for rule in all {
      let type = type(of: rule)
      drawing.paragraph(type.name, .bold)
      drawing.text(type.explanation.law, indent: 2)
    }
    return drawing.output
  }
}

extension Rule {
  /// The law, its reason, a bad and a good example, and its limits; it ends in a newline.
  public static func text(_ style: TextStyle = .plain) -> String {
    var drawing = PlanDrawing(style: style)
    drawing.paragraph(name, .bold)
    drawing.paragraph(explanation.law.onOneLine, nil)
    drawing.paragraph(explanation.reason.onOneLine, nil)
    drawing.example("Bad:", explanation.bad, .red)
    drawing.example("Good:", explanation.good, .green)
    drawing.line("")
    drawing.paragraph(explanation.limits.onOneLine, nil)
    return drawing.output
  }
}

extension PlanDrawing {
  fileprivate mutating func example(_ title: String, _ code: String, _ ink: TextStyle.Ink) {
    line("")
    paragraph(title, ink)
    for part in code.split(separator: "\n") { item(String(part)) }
  }
}

extension String {
  fileprivate var onOneLine: String { split(separator: "\n").joined(separator: " ") }
}
