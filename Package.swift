// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
  name: "StoreScope",
  products: [
    .library(name: "ObjectStore", targets: ["ObjectStore"]),
    .library(name: "TraceAnalysis", targets: ["TraceAnalysis"]),
    .library(name: "StoreExpectations", targets: ["StoreExpectations"]),
    .library(name: "SQLiteProbe", targets: ["SQLiteProbe"]),
    .executable(name: "trace-report", targets: ["trace-report"]),
    // For `trace-report store`, since the reports do not link the store.
    .executable(name: "store-report", targets: ["store-report"]),
    // For Benchmarks, whose C loops are the limit that the store is measured against.
    .library(name: "CSQLite", targets: ["CSQLite"]),
    // For Benchmarks as well, which runs the examples at full size.
    .library(name: "ExampleModels", targets: ["TransitModel", "PhotosModel", "RecordsModel"]),
  ],
  traits: [
    .trait(name: "LTTng", description: "Emit LTTng-UST tracepoints; needs liblttng-ust-dev."),
    .default(enabledTraits: ["LTTng"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
  ],
  targets: [
    // MARK: - System libraries

    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CLTTngUST", pkgConfig: "lttng-ust", providers: [.apt(["liblttng-ust-dev"])]),

    // MARK: - The writing half

    .target(name: "StoreEvents"),
    .target(
      name: "CStoreTracepoints",
      dependencies: [.target(name: "CLTTngUST", condition: .when(traits: ["LTTng"]))],
      // The provider header is included by LTTng from inside its own headers.
      cSettings: [.headerSearchPath("."), .define("STORE_LTTNG", .when(traits: ["LTTng"]))],
      linkerSettings: [.linkedLibrary("lttng-ust", .when(traits: ["LTTng"]))]),
    // Writes the debug log; the probe compiles it too.
    .target(name: "CLogSink"),
    .target(
      name: "StoreInstruments", dependencies: ["StoreEvents", "CLogSink", "CStoreTracepoints"]),
    // Calls functions within another process.
    .target(name: "CProbeInjector"),
    // Which source files are libraries; the probe compiles it too.
    .target(name: "CSourceFiles"),
    // Counts what SQLite reads, writes and syncs; the probe compiles it too.
    .target(name: "CSQLiteFiles"),
    .target(name: "SQLiteDriver", dependencies: ["StoreEvents", "CSQLite", "CSQLiteFiles"]),
    .target(name: "CSwiftRuntime"),
    // What a store's SQL calls and SQLite lacks: for the store, and for the reports that measure
    // its statements.
    .target(
      name: "StoreFunctions", dependencies: ["SQLiteDriver"],
      // For collations: the ICU that Foundation loads already; its module does not link it.
      linkerSettings: [.linkedLibrary("_FoundationICU")]),
    .target(
      name: "ObjectStore",
      dependencies: [
        "SQLiteDriver", "StoreFunctions", "StoreEvents", "StoreInstruments", "CSwiftRuntime",
      ]),

    // For tests of programs that keep objects: Swift Testing, which only tests can link.
    .target(
      name: "StoreExpectations",
      dependencies: ["ObjectStore", "StoreEvents", "StoreInstruments", "CSQLite"]),
    // For programs with their own copy of SQLite. The probe itself is built by `make probe`.
    .target(name: "SQLiteProbe"),

    // Who holds the locks of a database, observed from outside: no SQLite, no lock of its own.
    .target(name: "DatabaseLocks", dependencies: ["StoreEvents"]),

    // MARK: - The reading half

    .target(name: "TraceReading", dependencies: ["StoreEvents", "QueryPlans", "CSourceFiles"]),
    .target(
      name: "QueryPlans",
      dependencies: ["StoreEvents", "SQLiteDriver", "StoreFunctions"]),
    .target(
      name: "TraceAnalysis",
      dependencies: [
        "StoreEvents", "TraceReading", "QueryPlans", "SQLiteDriver",
        .product(name: "Histogram", package: "hdrhistogram-swift"),
      ]),
    .target(
      name: "StatementReplay",
      dependencies: [
        "StoreEvents", "TraceReading", "QueryPlans", "SQLiteDriver", "CSQLite",
        "CSQLiteFiles",
      ]),
    .target(
      name: "Dashboards",
      dependencies: [.product(name: "Mustache", package: "swift-mustache")],
      path: "dashboards", exclude: ["grafana", "prometheus", "sql"],
      resources: [.embedInCode("Templates"), .embedInCode("Styles"), .embedInCode("Scripts")]),
    .target(
      name: "TraceRendering",
      dependencies: [
        "StoreEvents", "QueryPlans", "TraceAnalysis", "StatementReplay", "Dashboards",
        "DatabaseLocks",
      ]),
    .target(
      name: "TraceRecording",
      dependencies: ["StoreEvents", "CProbeInjector"]),
    .executableTarget(
      name: "trace-report",
      dependencies: [
        "StoreEvents", "TraceReading", "QueryPlans", "TraceAnalysis",
        "StatementReplay", "TraceRendering", "TraceRecording", "SQLiteDriver", "DatabaseLocks",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    .executableTarget(
      name: "store-report",
      dependencies: [
        "ObjectStore", "SQLiteDriver",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // MARK: - Examples

    .target(
      name: "TransitModel",
      dependencies: [
        "ObjectStore", "SQLiteDriver", "StoreInstruments",
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      path: "Examples/TransitModel"),
    .executableTarget(
      name: "transit",
      dependencies: [
        "TransitModel", "ObjectStore", "StoreEvents",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Examples/transit"),

    .target(
      name: "PhotosModel", dependencies: ["ObjectStore", "StoreInstruments"],
      path: "Examples/PhotosModel"),
    .executableTarget(
      name: "photos",
      dependencies: [
        "PhotosModel", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Examples/photos"),
    .target(
      name: "RecordsModel", dependencies: ["ObjectStore", "StoreEvents", "StoreInstruments"],
      path: "Examples/RecordsModel"),
    .executableTarget(
      name: "records",
      dependencies: [
        "RecordsModel", "StoreEvents",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Examples/records"),

    .executableTarget(
      name: "pitfalls",
      dependencies: [
        "ObjectStore", "StoreInstruments",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Examples/pitfalls"),

    .executableTarget(
      name: "tour", dependencies: ["ObjectStore", "StoreEvents", "StoreInstruments"],
      path: "Examples/tour"),

    // What `make demo` runs, so that one build makes both.
    .target(name: "demo", dependencies: ["transit", "trace-report"], path: "Examples/demo"),

    // MARK: - Tests

    .target(
      name: "TestSupport",
      dependencies: [
        "StoreEvents", "StoreInstruments",
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      path: "Tests/TestSupport"),
    // Emits events for the tests that record it.
    .executableTarget(
      name: "event-emitter", dependencies: ["StoreEvents", "StoreInstruments", "TestSupport"],
      path: "Tests/EventEmitter"),
    // A program with a store that writes down when it held the writer lock.
    .executableTarget(
      name: "lock-holder",
      dependencies: ["ObjectStore", "SQLiteDriver", "StoreEvents", "StoreInstruments"],
      path: "Tests/LockHolder"),
    // Reads damaged inputs for the tests, which outlive whatever that does to it.
    .executableTarget(
      name: "reader-fuzzer",
      dependencies: [
        "StoreEvents", "TraceReading", "TraceAnalysis", "TraceRendering",
        "TestSupport",
      ],
      path: "Tests/ReaderFuzzer"),
    // An SQLite VFS that fails, and tests that a store survives that, kills and threads.
    .target(name: "CFaultyFiles", dependencies: ["CSQLite"], path: "Tests/CFaultyFiles"),
    .target(name: "CThreadSanitizer", path: "Tests/CThreadSanitizer"),
    .target(
      name: "Reliability",
      dependencies: [
        "CFaultyFiles", "CThreadSanitizer", "ObjectStore", "SQLiteDriver", "StoreInstruments",
        "TestSupport",
      ],
      path: "Tests/Reliability"),
    .executableTarget(
      name: "store-torture", dependencies: ["Reliability", "TestSupport"],
      path: "Tests/StoreTorture"),
    .testTarget(
      name: "ReliabilityTests",
      dependencies: [
        "Reliability", "store-torture", "ObjectStore", "SQLiteDriver", "StoreEvents",
        "StoreInstruments", "TestSupport",
      ]),
    .testTarget(name: "StoreEventsTests", dependencies: ["StoreEvents", "TestSupport"]),
    .testTarget(
      name: "StoreInstrumentsTests",
      dependencies: ["StoreInstruments", "StoreEvents", "CStoreTracepoints", "TestSupport"]),
    .testTarget(
      name: "DatabaseLocksTests", dependencies: ["DatabaseLocks", "SQLiteDriver", "TestSupport"]),
    .testTarget(
      name: "SQLiteDriverTests",
      dependencies: ["StoreEvents", "SQLiteDriver", "CSQLiteFiles", "TestSupport"]),
    .testTarget(
      name: "ObjectStoreTests",
      dependencies: [
        "ObjectStore", "SQLiteDriver", "StoreEvents", "StoreFunctions", "StoreInstruments",
        "TestSupport",
      ]),
    .testTarget(
      name: "StoreExpectationsTests",
      dependencies: [
        "StoreExpectations", "SQLiteProbe", "ObjectStore", "StoreEvents", "StoreInstruments",
        "CSQLite", "TestSupport",
      ]),
    .testTarget(
      name: "TraceReadingTests",
      dependencies: ["TraceReading", "StoreEvents", "StoreInstruments", "TestSupport"]),
    .testTarget(
      name: "QueryPlansTests", dependencies: ["QueryPlans", "SQLiteDriver", "TestSupport"]),
    .testTarget(
      name: "TraceAnalysisTests",
      dependencies: [
        "TraceAnalysis", "TraceRendering", "TraceReading", "StoreEvents", "SQLiteDriver",
        "QueryPlans", "TestSupport", "trace-report",
        .product(name: "Histogram", package: "hdrhistogram-swift"),
      ]),
    .testTarget(
      name: "TransitTests",
      dependencies: [
        "TransitModel", "transit", "ObjectStore", "SQLiteDriver", "StoreInstruments", "TestSupport",
        .product(name: "Subprocess", package: "swift-subprocess"),
      ]),
    .testTarget(
      name: "PhotosTests",
      dependencies: [
        "PhotosModel", "photos", "ObjectStore", "SQLiteDriver", "StoreEvents", "TraceReading",
        "TestSupport",
      ]),
    .testTarget(
      name: "RecordsTests",
      dependencies: ["RecordsModel", "records", "trace-report", "SQLiteDriver", "TestSupport"]),
    .testTarget(
      name: "PitfallsTests",
      dependencies: ["pitfalls", "tour", "transit", "trace-report", "SQLiteDriver", "TestSupport"]),
    .testTarget(
      name: "TraceRecordingTests",
      dependencies: [
        "TraceRecording", "TraceAnalysis", "TraceReading", "TraceRendering", "StoreEvents",
        "TestSupport", "trace-report", "transit", "event-emitter",
      ]),
    // The command level: real binaries, a real LTTng session.
    .testTarget(
      name: "StatementReplayTests",
      dependencies: ["StatementReplay", "SQLiteDriver", "StoreEvents", "TestSupport"]),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "trace-report", "store-report", "transit", "records", "photos", "reader-fuzzer",
        "event-emitter", "lock-holder", "TestSupport", "TraceReading", "TraceAnalysis",
        "StatementReplay", "TraceRendering", "StoreEvents", "SQLiteDriver",
        .product(name: "Subprocess", package: "swift-subprocess"),
      ]),
    // The HTML reports in a real browser, where BROWSER names one: make test-browser.
    .testTarget(
      name: "BrowserTests",
      dependencies: ["trace-report", "event-emitter", "StoreEvents", "TestSupport"]),
  ]
)

for target in package.targets where target.type != .system {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .swiftLanguageMode(.v6),
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

// Reports that are not optimized take 76 s less of the 224 s that `make demo` would build. Its traces are short, and
// what it measures is optimized: the store, and the statements that SQLite runs. Nothing else sets this variable.
if Context.environment["STORESCOPE_DEMO"] != nil {
  let reports: Set = [
    "DatabaseLocks", "TraceReading", "QueryPlans", "TraceAnalysis",
    "Dashboards", "TraceRendering", "TraceRecording", "trace-report",
  ]
  for target in package.targets where reports.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"]))
  }
}
