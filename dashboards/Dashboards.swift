// SPDX-License-Identifier: Apache-2.0

import Mustache

/// Draws the HTML reports: one file each, which loads no other.
///
/// Strings of the pages' values may come from data: they are escaped here, and stand between tags,
/// never in an attribute.
public enum Dashboards {
  /// Draws a page.
  ///
  /// - Throws: Mustache's error if an embedded template does not parse.
  public static func html(_ page: Page) throws -> String {
    var sheet = Rendering(page)
    sheet.style = styles.map(text).joined()
    sheet.script = "(() => {\n\"use strict\";\n\(scripts.map(text).joined())})();\n"
    return try library().render(sheet, withTemplate: "page") ?? ""
  }

  private static let styles = [
    PackageResources.base_css, PackageResources.page_css, PackageResources.tables_css,
    PackageResources.tracks_css,
  ]

  /// In one function, so that they can call each other.
  private static let scripts = [
    PackageResources.format_js, PackageResources.announce_js, PackageResources.state_js,
    PackageResources.sums_js, PackageResources.percentiles_js, PackageResources.draw_js,
    PackageResources.hover_js, PackageResources.gestures_js, PackageResources.tables_js,
    PackageResources.range_js, PackageResources.findings_js, PackageResources.moments_js,
    PackageResources.theme_js, PackageResources.start_js,
  ]

  private static func text(_ resource: [UInt8]) -> String {
    String(decoding: resource, as: UTF8.self)
  }

  private static func library() throws -> MustacheLibrary {
    var library = MustacheLibrary()
    try library.register(text(PackageResources.page_mustache), named: "page")
    try library.register(text(PackageResources.section_mustache), named: "section")
    try library.register(text(PackageResources.block_mustache), named: "block")
    try library.register(text(PackageResources.table_mustache), named: "table")
    try library.register(text(PackageResources.sheet_mustache), named: "sheet")
    try library.register(text(PackageResources.finding_mustache), named: "finding")
    try library.register(text(PackageResources.timeline_mustache), named: "timeline")
    return library
  }
}

/// What the template of the page sees.
private struct Rendering {
  var title: String
  var brand: String
  var introduction: [String]
  var notices: [Dashboards.Notice]
  var first: [Dashboards.Section]
  var totals: [Dashboards.Fact]
  var remarks: [String]
  var timeline: [Dashboards.Tracks]
  var sections: [Dashboards.Section]
  var links: [Dashboards.Link]
  var footer: String
  var style = ""
  var script = ""
  /// Drawn at random for each page, so that the text of a trace cannot contain it.
  var nonce = Self.randomNonce()

  init(_ page: Dashboards.Page) {
    title = page.title
    brand = page.brand
    introduction = page.introduction
    notices = page.notices
    first = page.first
    totals = page.totals
    remarks = page.remarks
    timeline = page.tracks.map { [$0] } ?? []
    sections = page.sections
    links =
      page.first.map { Dashboards.Link(anchor: $0.anchor, name: $0.name) }
      + (page.tracks == nil ? [] : [Dashboards.Link(anchor: "tracks", name: "Tracks")])
      + page.sections.map { Dashboards.Link(anchor: $0.anchor, name: $0.name) }
    footer = page.footer
  }

  private static func randomNonce() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in String(generator.next() as UInt64, radix: 16) }.joined()
  }
}
