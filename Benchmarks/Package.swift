// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
  name: "Benchmarks",
  traits: [
    .trait(name: "LTTng", description: "The store's own; off, its tracepoints are compiled out."),
    .default(enabledTraits: ["LTTng"]),
  ],
  dependencies: [
    .package(
      name: "StoreScope", path: "..",
      traits: [.trait(name: "LTTng", condition: .when(traits: ["LTTng"]))]),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    // Counts allocations, and marks what callgrind is to count.
    .target(name: "CMeasuring"),
    .target(
      name: "BenchFixtures",
      dependencies: [
        .product(name: "ObjectStore", package: "StoreScope"),
        .product(name: "CSQLite", package: "StoreScope"),
      ]),
    // Rounds, medians, verdicts and tables; without the store, so that its tests build in no time.
    .target(name: "BenchHarness"),
    .testTarget(name: "BenchHarnessTests", dependencies: ["BenchHarness"]),
    // What has to be a process of its own; without GRDB, since it is built twice.
    .executableTarget(
      name: "bench-worker",
      dependencies: [
        "BenchFixtures", "CMeasuring",
        .product(name: "ObjectStore", package: "StoreScope"),
        .product(name: "CSQLite", package: "StoreScope"),
      ]),
    .executableTarget(name: "bench-counts"),
    .executableTarget(name: "measure-program"),
    .executableTarget(
      name: "store-bench",
      dependencies: [
        "BenchFixtures", "BenchHarness",
        .product(name: "ObjectStore", package: "StoreScope"),
        .product(name: "ExampleModels", package: "StoreScope"),
        .product(name: "CSQLite", package: "StoreScope"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ]
)

for target in package.targets {
  target.swiftSettings = [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]
}
