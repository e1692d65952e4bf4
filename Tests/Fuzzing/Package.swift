// swift-tools-version: 6.2

import PackageDescription

// A package of its own: it is built with libFuzzer alone (`make fuzz`), and the main one stays free of it.
let package = Package(
  name: "funnel-fuzzing",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "funnel", path: "../../")],
  targets: [
    .executableTarget(name: "FuzzLines", dependencies: [.product(name: "FunnelKernels", package: "funnel")])
  ],
  swiftLanguageModes: [.v6]
)
