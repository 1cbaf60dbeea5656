// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
  name: "grdb",
  dependencies: [
    .package(name: "StoreScope", path: "../../../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .target(name: "Library", dependencies: [.product(name: "GRDB", package: "GRDB.swift")]),
    .executableTarget(
      name: "grdb-program",
      dependencies: ["Library", .product(name: "SQLiteProbe", package: "StoreScope")]),
    .testTarget(
      name: "LibraryTests",
      dependencies: ["Library", .product(name: "StoreExpectations", package: "StoreScope")]),
  ])
