// swift-tools-version: 6.0

import PackageDescription

// An app's library, without dependencies: an app that takes it by its address fetches nothing else.
let package = Package(
  name: "FunnelEvents",
  // Swift's concurrency runs from these versions on. Nothing here uses an interface that is newer.
  platforms: [.iOS(.v13), .macOS(.v10_15), .tvOS(.v13), .watchOS(.v6), .visionOS(.v1), .macCatalyst(.v13)],
  products: [.library(name: "FunnelEvents", targets: ["FunnelEvents"])],
  targets: [
    .target(
      name: "FunnelEvents", dependencies: ["CEventsZlib"], resources: [.copy("Resources/PrivacyInfo.xcprivacy")]),
    // Every SDK has zlib where compilers look, so pkg-config is not asked: it would name the Mac's when an app is built for iOS.
    .systemLibrary(name: "CEventsZlib", providers: [.apt(["libz-dev"])]),
    .testTarget(name: "FunnelEventsTests", dependencies: ["FunnelEvents"]),
  ],
  swiftLanguageModes: [.v6]
)

// A product for each permission: Apple demands a purpose string for each one that the code of an app mentions, so an app links only those
// that it asks for.
for name in ["FunnelPhotos", "FunnelContacts", "FunnelNotifications", "FunnelLocation", "FunnelTracking", "FunnelHealth"] {
  package.targets.append(.target(name: name, dependencies: ["FunnelEvents"]))
  package.products.append(.library(name: name, targets: [name]))
}

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
