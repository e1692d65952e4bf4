/// The apps the simulator knows.
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

/// The flows the simulator knows.
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

  /// How many versions there are, from 1.
  var versionCount: Int {
    switch self {
    case .clarityOnboarding, .smilepileOnboarding: 2
    case .cleanerPermissions, .trendyOnboarding, .clarityChallenge, .clarityPaywall: 1
    }
  }

  /// Every version: bit v - 1 stands for version v.
  var allVersions: UInt8 { UInt8((1 << versionCount) - 1) }

  var name: String { text.description }

  /// `clarity/onboarding`.
  var reference: String { "\(app.name)/\(name)" }
}
