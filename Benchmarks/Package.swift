// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "funnel-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "funnel", path: "../"),
    // The traits are off because counting allocations with them needs a library outside of the package; CAllocationCount counts
    // them.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "KernelBenchmarks",
      dependencies: [
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "FunnelKernels", package: "funnel"),
        "CAllocationCount",
      ],
      path: "Benchmarks/KernelBenchmarks",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    .target(name: "CAllocationCount"),
  ]
)
