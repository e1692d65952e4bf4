/// The apps whose people are simulated.
enum SimulatedApp: Hashable {
  case cleaner, trendy, clarity, smilepile
  /// An app of which only flow definitions are known, by its index in ``DeclaredFlows/apps``.
  case declared(UInt16)

  /// The apps that the simulator knows by itself.
  static let known: [SimulatedApp] = [.cleaner, .trendy, .clarity, .smilepile]

  /// A number that no other app has. The keys of the app's subjects are derived from it.
  var number: UInt64 {
    switch self {
    case .cleaner: 0
    case .trendy: 1
    case .clarity: 2
    case .smilepile: 3
    // The known apps leave room for more of them, which would otherwise change the subjects of declared apps.
    case .declared(let index): 0x100 + UInt64(index)
    }
  }
}

/// The flows that the simulator knows by itself.
enum SimulatedFlow: UInt8, CaseIterable {
  case cleanerPermissions, trendyOnboarding
  case clarityOnboarding, clarityChallenge, clarityPaywall, claritySubscription, clarityConnection, clarityFocusSession
  case smilepileOnboarding

  var app: SimulatedApp {
    switch self {
    case .cleanerPermissions: .cleaner
    case .trendyOnboarding: .trendy
    case .clarityOnboarding, .clarityChallenge, .clarityPaywall, .claritySubscription, .clarityConnection,
      .clarityFocusSession:
      .clarity
    case .smilepileOnboarding: .smilepile
    }
  }

  /// The id of the flow's app.
  var appText: StaticString {
    switch self {
    case .cleanerPermissions: "cleaner"
    case .trendyOnboarding: "trendy"
    case .clarityOnboarding, .clarityChallenge, .clarityPaywall, .claritySubscription, .clarityConnection,
      .clarityFocusSession:
      "clarity"
    case .smilepileOnboarding: "smilepile"
    }
  }

  /// The flow's id within its app.
  var text: StaticString {
    switch self {
    case .cleanerPermissions: "permissions_flow"
    case .trendyOnboarding, .clarityOnboarding, .smilepileOnboarding: "onboarding"
    case .clarityChallenge: "prosocial_challenge"
    case .clarityPaywall: "paywall"
    case .claritySubscription: "subscription"
    case .clarityConnection: "connection"
    case .clarityFocusSession: "focus_session"
    }
  }

  /// The beginning of the ids of attempts, or nil if the flow counts subjects (`"count_by": "subject"`).
  var attemptPrefix: StaticString? {
    switch self {
    case .clarityChallenge: "ch_"
    case .clarityPaywall: "pw_"
    case .clarityConnection: "cn_"
    case .clarityFocusSession: "fs_"
    case .cleanerPermissions, .trendyOnboarding, .clarityOnboarding, .claritySubscription, .smilepileOnboarding: nil
    }
  }

  /// The number of versions; they are numbered from 1.
  var versionCount: Int {
    switch self {
    case .clarityOnboarding, .smilepileOnboarding: 2
    case .cleanerPermissions, .trendyOnboarding, .clarityChallenge, .clarityPaywall, .claritySubscription,
      .clarityConnection, .clarityFocusSession:
      1
    }
  }

  /// The set of all versions: bit v - 1 represents version v.
  var allVersions: UInt8 { UInt8((1 << versionCount) - 1) }

  var appName: String { appText.description }
  var name: String { text.description }

  /// The reference without a version, for example `clarity/onboarding`.
  var reference: String { "\(appName)/\(name)" }
}
