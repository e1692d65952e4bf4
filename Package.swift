// swift-tools-version: 6.2

import PackageDescription

// Debian's simdjson.pc carries a define that the package manager refuses with a warning, and its files lie where compilers look anyway;
// Homebrew's do not.
#if os(macOS)
  let simdjsonPkgConfig: String? = "simdjson"
#else
  let simdjsonPkgConfig: String? = nil
#endif

let package = Package(
  name: "funnel",
  // What apps link is a package of its own with an older floor: Apps/FunnelEvents.
  platforms: [.macOS(.v13)],
  products: [
    .executable(name: "funnel", targets: ["funnel"]),
    // The engine as a library, for programs that ingest events and compute reports.
    .library(name: "FunnelKit", targets: ["FunnelKit"]),
    // What the nested package in Benchmarks measures.
    .library(name: "FunnelKernels", targets: ["FunnelKernels"]),
  ],
  traits: [
    .trait(name: "ISAL", description: "Inflate and deflate with Intel's ISA-L; without it zlib does all the work."),
    .trait(
      name: "Server", description: "funnel serve; without it SwiftNIO is not built for the program, which saves a minute."),
    .trait(
      name: "Database", description: "The database of nightly runs; without it GRDB is not built for the program."),
    .default(enabledTraits: ["ISAL", "Server", "Database"]),
  ],
  dependencies: [
    // For the sample app and for tests that compare what apps write with what is ingested.
    .package(path: "Apps/FunnelEvents"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
  ],
  targets: [
    // The pipeline, downwards: a target imports only what stands below it.
    .executableTarget(name: "funnel", dependencies: ["FunnelCommands"]),
    .target(
      name: "FunnelCommands",
      dependencies: [
        .target(name: "FunnelServer", condition: .when(traits: ["Server"])),
        .target(name: "FunnelCollect", condition: .when(traits: ["Server"])),
        "FunnelNightly", "FunnelKit", "FunnelMaintenance", "FunnelReports", "FunnelRendering", "FunnelIngest",
        "FunnelDecoding", "FunnelImport", "FunnelSimulator", "FunnelStore", "FunnelSystem", "FunnelBindings", "FunnelSchemas",
        "FunnelModel",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    // The nightly run: an inbox, reports, alerts and maintenance.
    .target(
      name: "FunnelNightly",
      dependencies: [
        .target(name: "FunnelDatabase", condition: .when(traits: ["Database"])),
        "FunnelKit", "FunnelMaintenance", "FunnelReports", "FunnelRendering", "FunnelIngest", "FunnelDecoding",
        "FunnelImport", "FunnelStore", "FunnelSystem", "FunnelSchemas", "FunnelModel",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    // The engine as a library: stores, queries and reports, for other programs and for the commands.
    .target(
      name: "FunnelKit",
      dependencies: [
        "FunnelMaintenance", "FunnelReports", "FunnelRendering", "FunnelProjections", "FunnelSequences", "FunnelIndex",
        "FunnelIngest", "FunnelInference", "FunnelDecoding", "FunnelImport", "FunnelStore", "FunnelSystem",
        "FunnelSchemas", "FunnelModel",
      ]),
    // HTTP alone: it knows nothing of reports and events.
    .target(
      name: "FunnelServer",
      dependencies: [
        "FunnelSystem", "FunnelModel",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    // What `funnel collect` makes of requests: the dialects of clients, keys, and the spool.
    .target(
      name: "FunnelCollect",
      dependencies: [
        "FunnelRendering", "FunnelIngest", "FunnelDecoding", "FunnelImport", "FunnelStore", "FunnelSystem", "FunnelModel",
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: [.enableExperimentalFeature("Lifetimes")]),
    // SQLite alone: it knows rows of days, and nothing of where they come from.
    .target(
      name: "FunnelDatabase",
      dependencies: [
        "FunnelReports", "FunnelModel", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    .target(
      name: "FunnelMaintenance",
      dependencies: [
        "FunnelReports", "FunnelSequences", "FunnelIndex", "FunnelIngest", "FunnelDecoding", "FunnelStore", "FunnelSystem",
        "FunnelModel",
      ]),
    .target(
      name: "FunnelReports",
      dependencies: [
        "FunnelRendering", "FunnelProjections", "FunnelSequences", "FunnelIndex", "FunnelIngest", "FunnelDecoding",
        "FunnelModel",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    // Documents and their renderers: text, Markdown, HTML, and the writers of CSV and JSON. It knows no report.
    .target(name: "FunnelRendering", dependencies: ["FunnelModel"]),
    .target(
      name: "FunnelProjections",
      dependencies: ["FunnelSequences", "FunnelIndex", "FunnelSystem", "FunnelModel"],
      // Projectors read the events of a group through a view that can't outlive them.
      swiftSettings: [.enableExperimentalFeature("Lifetimes")]),
    .target(
      name: "FunnelSequences",
      dependencies: ["FunnelIndex", "FunnelIngest", "FunnelDecoding", "FunnelStore", "FunnelSystem", "FunnelModel"]),
    .target(
      name: "FunnelIndex",
      dependencies: ["FunnelIngest", "FunnelDecoding", "FunnelStore", "FunnelSystem", "FunnelModel", "CMemory"]),
    // Proposes flow definitions and mappings from logs and exports.
    .target(
      name: "FunnelInference", dependencies: ["FunnelIngest", "FunnelDecoding", "FunnelImport", "FunnelSystem", "FunnelModel"]),
    .target(
      name: "FunnelIngest",
      dependencies: [
        "FunnelDecoding", "FunnelImport", "FunnelStore", "FunnelSystem", "FunnelModel", "CCSV",
      ],
      swiftSettings: [.enableExperimentalFeature("Lifetimes")]),
    .target(
      name: "FunnelDecoding",
      dependencies: [
        "FunnelImport", "FunnelStore", "FunnelSystem", "FunnelModel", "CSimdJSON",
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: [.enableExperimentalFeature("Lifetimes")]),
    .target(
      name: "FunnelImport",
      dependencies: ["FunnelModel", "CSimdJSON", .product(name: "Crypto", package: "swift-crypto")],
      swiftSettings: [.enableExperimentalFeature("Lifetimes")]),
    .target(name: "FunnelSimulator", dependencies: ["FunnelModel"]),
    .target(
      name: "FunnelStore",
      dependencies: ["FunnelSystem", "FunnelModel", .product(name: "Crypto", package: "swift-crypto")]),
    .target(name: "FunnelBindings", dependencies: ["FunnelModel"]),
    .target(name: "FunnelSchemas", dependencies: ["CSchemas", "FunnelSystem", "FunnelModel"]),
    .target(
      name: "FunnelSystem",
      dependencies: [
        "FunnelModel", "CMemory", "CZlib", "CArchive", .target(name: "CIsal", condition: .when(traits: ["ISAL"])),
      ],
      // Types that own memory return spans of it.
      swiftSettings: [.enableExperimentalFeature("Lifetimes")]),
    .target(name: "FunnelModel", swiftSettings: [.enableExperimentalFeature("Lifetimes")]),

    .executableTarget(
      name: "OnboardingSample", dependencies: [.product(name: "FunnelEvents", package: "FunnelEvents")],
      path: "Examples/OnboardingApp", exclude: ["README.md"]),
    .executableTarget(name: "ConversionReport", dependencies: ["FunnelKit"], path: "Examples/ConversionReport"),

    // System libraries and data, behind module maps and thin shims.
    .systemLibrary(name: "CZlib", providers: [.apt(["libz-dev"])]),
    .systemLibrary(name: "CIsal", pkgConfig: "libisal", providers: [.apt(["libisal-dev"]), .brew(["isa-l"])]),
    // Homebrew keeps libarchive apart from what macOS itself has, without headers, so pkg-config must find it.
    .systemLibrary(
      name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]),
    .systemLibrary(name: "CCSV", providers: [.apt(["libcsv-dev"]), .brew(["libcsv"])]),
    .target(
      name: "CSimdJSON", dependencies: ["CSimdJSONLibrary"], linkerSettings: [.linkedLibrary("simdjson")]),
    .systemLibrary(
      name: "CSimdJSONLibrary", pkgConfig: simdjsonPkgConfig, providers: [.apt(["libsimdjson-dev"]), .brew(["simdjson"])]),
    .target(name: "CSchemas"),
    .target(name: "CMemory"),

    // Doors into the inner loops, for the benchmarks.
    .target(
      name: "FunnelKernels",
      dependencies: [
        "FunnelReports", "FunnelProjections", "FunnelSequences", "FunnelIndex", "FunnelIngest", "FunnelDecoding",
        "FunnelSimulator", "FunnelSystem", "FunnelSchemas", "FunnelModel",
      ],
      path: "Benchmarks/Kernels"),

    // Tests mirror the modules; what several of them need is in FunnelTestSupport.
    .target(
      name: "FunnelTestSupport",
      dependencies: [
        "FunnelReports", "FunnelProjections", "FunnelSequences", "FunnelIndex", "FunnelSystem", "FunnelSchemas", "FunnelModel",
      ],
      path: "Tests/FunnelTestSupport"),
    // Every built-in flow as `funnel schema generate swift` prints it.
    .target(
      name: "GeneratedFlows", dependencies: [.product(name: "FunnelEvents", package: "FunnelEvents")],
      path: "Tests/GeneratedFlows"),
    .testTarget(
      name: "FunnelServerTests", dependencies: ["FunnelServer", "FunnelSystem", "FunnelModel", "FunnelTestSupport"]),
    .testTarget(
      name: "FunnelBindingsTests", dependencies: ["FunnelBindings", "FunnelSchemas", "FunnelModel"],
      exclude: ["Expected"]),
    .testTarget(name: "FunnelModelTests", dependencies: ["FunnelModel", "FunnelTestSupport"]),
    .testTarget(
      name: "FunnelSchemasTests",
      dependencies: [
        "FunnelSchemas", "FunnelModel", "FunnelTestSupport", .product(name: "FunnelEvents", package: "FunnelEvents"),
      ]),
    .testTarget(name: "FunnelSystemTests", dependencies: ["FunnelSystem", "FunnelModel", "FunnelTestSupport"]),
    .testTarget(
      name: "FunnelStoreTests", dependencies: ["FunnelStore", "FunnelSystem", "FunnelModel", "FunnelTestSupport"]),
    .testTarget(name: "FunnelImportTests", dependencies: ["FunnelImport", "FunnelModel", "FunnelTestSupport"]),
    .testTarget(
      name: "FunnelCollectTests",
      dependencies: [
        "FunnelCollect", "FunnelDecoding", "FunnelSchemas", "FunnelSystem", "FunnelModel", "FunnelTestSupport",
      ]),
    .testTarget(name: "FunnelSimulatorTests", dependencies: ["FunnelSimulator", "FunnelModel", "FunnelTestSupport"]),
    .testTarget(
      name: "FunnelIngestTests",
      dependencies: [
        "FunnelMaintenance", "FunnelIngest", "FunnelDecoding", "FunnelSchemas", "FunnelStore", "FunnelModel",
        "FunnelTestSupport",
      ],
      exclude: ["make_tables.py"]),
    .testTarget(
      name: "FunnelSequencesTests",
      dependencies: [
        "FunnelMaintenance", "FunnelReports", "FunnelProjections", "FunnelSequences", "FunnelIndex", "FunnelImport",
        "FunnelIngest", "FunnelDecoding", "FunnelSchemas", "FunnelModel", "FunnelTestSupport",
      ]),
    .testTarget(
      name: "FunnelProjectionsTests",
      dependencies: [
        "FunnelReports", "FunnelProjections", "FunnelSequences", "FunnelIndex", "FunnelSchemas", "FunnelModel",
        "FunnelTestSupport",
        .product(name: "Histogram", package: "hdrhistogram-swift"),
      ],
      exclude: ["Statistics/make_reference.py", "Statistics/reference.json"]),
    .testTarget(
      name: "FunnelRenderingTests", dependencies: ["FunnelRendering", "FunnelModel", "FunnelTestSupport"]),
    .testTarget(
      name: "FunnelReportsTests",
      dependencies: [
        "FunnelReports", "FunnelRendering", "FunnelProjections", "FunnelIngest", "FunnelDecoding", "FunnelModel",
        "FunnelTestSupport",
      ]),
    .testTarget(name: "FunnelKitTests", dependencies: ["FunnelKit", "ConversionReport", "FunnelTestSupport"]),
    .testTarget(
      name: "DurabilityTests",
      dependencies: [
        "FunnelMaintenance", "FunnelReports", "FunnelRendering", "FunnelProjections", "FunnelSequences", "FunnelIndex",
        "FunnelIngest", "FunnelDecoding", "FunnelStore", "FunnelSystem", "FunnelSchemas", "FunnelModel",
        "FunnelTestSupport",
      ]),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "funnel", "FunnelCommands", "OnboardingSample", "GeneratedFlows", "FunnelSchemas", "FunnelSystem", "FunnelModel",
        "FunnelTestSupport", .product(name: "FunnelEvents", package: "FunnelEvents"),
      ],
      exclude: ["make_zips.py"]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c2x,
  cxxLanguageStandard: .cxx17
)

for target in package.targets where target.type != .system {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

// Only where the code asks for it: another choice of traits then builds few modules again.
let conditions: [(define: String, trait: String, targets: Set<String>)] = [
  ("FUNNEL_ISAL", "ISAL", ["FunnelSystem", "FunnelSystemTests"]),
  ("FUNNEL_SERVER", "Server", ["FunnelCommands", "CommandTests"]),
  ("FUNNEL_DATABASE", "Database", ["FunnelNightly", "CommandTests"]),
]
for (define, trait, names) in conditions {
  for target in package.targets where names.contains(target.name) {
    target.swiftSettings? += [.define(define, .when(traits: [trait]))]
  }
}

// The tests send millions of events through these modules: `make test` has them optimised, which takes less time than it saves; of FunnelReports
// and FunnelInference it would not, for they see few of them. What is asserted stays asserted. Only there, for a package with such flags is refused
// as a dependency, and single changes are built sooner without.
if Context.environment["FUNNEL_OPTIMISED"] != nil {
  let exercised: Set = [
    "FunnelModel", "FunnelSystem", "FunnelStore", "FunnelImport", "FunnelIngest", "FunnelDecoding", "FunnelSequences",
    "FunnelIndex", "FunnelProjections", "FunnelRendering", "FunnelSimulator", "FunnelCollect",
  ]
  for target in package.targets where exercised.contains(target.name) {
    target.swiftSettings? += [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]
  }
}

// FUNNEL_TESTS names test targets. Only these and the targets that they need are built, which takes less time than all.
if let chosen = Context.environment["FUNNEL_TESTS"] {
  var needed: Set<String> = []
  var next = chosen.split(separator: " ").map(String.init)
  while let name = next.popLast() {
    guard let target = package.targets.first(where: { $0.name == name }), needed.insert(name).inserted else { continue }
    for case .targetItem(let name, _) in target.dependencies { next.append(name) }
    for case .byNameItem(let name, _) in target.dependencies { next.append(name) }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products = []
}
