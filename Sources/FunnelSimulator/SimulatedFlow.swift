/// The apps that the simulator supports.
enum SimulatedApp: UInt8, CaseIterable {
  case cleaner, trendy, clarity, smilepile

  var text: StaticString {
    switch self {
    case .cleaner: "cleaner"
    case .trendy: "trendy"
    case .clarity: "clarity"
    case .smilepile: "smilepile"
    }
  }

  var name: String { text.description }
}

/// The flows that the simulator supports.
enum SimulatedFlow: UInt8, CaseIterable {
  case cleanerPermissions, trendyOnboarding, clarityOnboarding, clarityChallenge, clarityPaywall, smilepileOnboarding

  var app: SimulatedApp {
    switch self {
    case .cleanerPermissions: .cleaner
    case .trendyOnboarding: .trendy
    case .clarityOnboarding, .clarityChallenge, .clarityPaywall: .clarity
    case .smilepileOnboarding: .smilepile
    }
  }

  /// The flow's id within its app.
  var text: StaticString {
    switch self {
    case .cleanerPermissions: "permissions_flow"
    case .trendyOnboarding, .clarityOnboarding, .smilepileOnboarding: "onboarding"
    case .clarityChallenge: "prosocial_challenge"
    case .clarityPaywall: "paywall"
    }
  }

  /// The number of versions; they are numbered from 1.
  var versionCount: Int {
    switch self {
    case .clarityOnboarding, .smilepileOnboarding: 2
    case .cleanerPermissions, .trendyOnboarding, .clarityChallenge, .clarityPaywall: 1
    }
  }

  /// The set of all versions: bit v - 1 represents version v.
  var allVersions: UInt8 { UInt8((1 << versionCount) - 1) }

  var name: String { text.description }

  /// The reference without a version, for example `clarity/onboarding`.
  var reference: String { "\(app.name)/\(name)" }
}
