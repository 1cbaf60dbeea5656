// SPDX-License-Identifier: Apache-2.0

import StoreEvents

extension Document {
  /// The report in GitHub's Markdown, as for a comment on a pull request; it ends in a newline.
  public func markdown() -> String {
    var lines = ["## \(MarkdownText.escaped(title))", ""]
    for block in blocks { lines += block.markdown + [""] }
    while lines.last == "" { lines.removeLast() }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension Document.Block {
  fileprivate var markdown: [String] {
    switch self {
    case .heading(let text): ["### \(MarkdownText.escaped(text))"]
    case .paragraph(let text, let tone):
      [
        text.isEmpty
          ? "" : tone == .bad ? "**\(MarkdownText.escaped(text))**" : MarkdownText.escaped(text)
      ]
    case .facts(let facts):
      facts.map { "- \(MarkdownText.escaped($0.label)): \(MarkdownText.escaped($0.cell.text))" }
    case .table(let table): table.markdown
    case .item(let item): item.markdown
    case .brief(let brief): brief.item.markdown
    case .excerpt(let text, let tone, _): Self.paragraph(text, tone).markdown
    case .command(let purpose, let command):
      ["\(MarkdownText.escaped(purpose)): \(MarkdownText.code(command))"]
    }
  }
}

extension Document.Item {
  fileprivate var markdown: [String] {
    let locationText = location.isEmpty ? "" : " at \(MarkdownText.code(location))"
    return ["- **\(MarkdownText.escaped(headline))**\(locationText)"]
      + lines.flatMap { fact -> [String] in
        if case .sql(let sql) = fact.cell {
          return MarkdownText.block(SQLText.shortened(sql), indent: "  ")
        }
        let label = fact.label.isEmpty ? "" : "\(MarkdownText.escaped(fact.label)): "
        return ["  \(label)\(MarkdownText.escaped(fact.cell.text))", ""]
      }
  }
}

extension Table {
  fileprivate var markdown: [String] {
    func line(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }
    let head = [
      line(columns.map { MarkdownText.escaped($0.title) }),
      line(columns.map { $0.isNumeric ? "---:" : "---" }),
    ]
    return head
      + rows.map { row in
        let notes = row.notes.map { note in
          if case .sql(let sql) = note {
            MarkdownText.code(SQLText.shortened(sql))
          } else {
            MarkdownText.escaped(note.text)
          }
        }
        var cells = row.cells.map { MarkdownText.escaped($0.text) }
        // A table of Markdown has no lines below its rows.
        if !notes.isEmpty, let last = cells.popLast() {
          cells.append(([last] + notes).joined(separator: "<br>"))
        }
        return line(cells)
      }
  }
}

/// Text from data, made safe for Markdown.
enum MarkdownText {
  /// The text with the markup of Markdown and HTML escaped, on one line.
  static func escaped(_ text: String) -> String {
    replaced(text) { #"\`*_{}[]|!~"#.unicodeScalars.contains($0) ? "\\\($0)" : nil }
  }

  /// The text as inline code, which is also one line in a table's cell.
  ///
  /// Markdown is parsed within an HTML element as well, where a backslash escapes nothing.
  static func code(_ text: String) -> String {
    let code = replaced(text) {
      #"\`*{}[]|!~"#.unicodeScalars.contains($0) ? "&#\($0.value);" : nil
    }
    return "<code>\(code)</code>"
  }

  private static func replaced(_ text: String, _ mark: (Unicode.Scalar) -> String?) -> String {
    var result = ""
    for scalar in LogText.escaped(text).unicodeScalars {
      switch scalar {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      // A mention, and a reference to an issue.
      case "@", "#": result += "&#\(scalar.value);"
      default:
        if let mark = mark(scalar) { result += mark } else { result.unicodeScalars.append(scalar) }
      }
    }
    return result
  }

  /// The text as a block of SQL, fenced by more backticks than it has in a row.
  static func block(_ sql: String, indent: String) -> [String] {
    let text = TerminalText.escaped(sql)
    let longest = text.split { $0 != "`" }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: max(3, longest + 1))
    return [indent + fence + "sql", indent + text, indent + fence]
  }
}
