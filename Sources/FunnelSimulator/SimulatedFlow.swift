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

  /// The parts of a flow's definition that its people and events depend on.
  private struct Properties {
    let app: SimulatedApp
    /// The ID of the app.
    let appName: String
    /// The flow's ID within its app.
    let name: String
    var versionCount = 1
    var attemptPrefix: String?
  }

  private var properties: Properties {
    switch self {
    case .cleanerPermissions: Properties(app: .cleaner, appName: "cleaner", name: "permissions_flow")
    case .trendyOnboarding: Properties(app: .trendy, appName: "trendy", name: "onboarding")
    case .clarityOnboarding: Properties(app: .clarity, appName: "clarity", name: "onboarding", versionCount: 2)
    case .clarityChallenge: Properties(app: .clarity, appName: "clarity", name: "prosocial_challenge", attemptPrefix: "ch_")
    case .clarityPaywall: Properties(app: .clarity, appName: "clarity", name: "paywall", attemptPrefix: "pw_")
    case .claritySubscription: Properties(app: .clarity, appName: "clarity", name: "subscription")
    case .clarityConnection: Properties(app: .clarity, appName: "clarity", name: "connection", attemptPrefix: "cn_")
    case .clarityFocusSession: Properties(app: .clarity, appName: "clarity", name: "focus_session", attemptPrefix: "fs_")
    case .smilepileOnboarding: Properties(app: .smilepile, appName: "smilepile", name: "onboarding", versionCount: 2)
    }
  }

  var app: SimulatedApp { properties.app }
  /// The ID of the flow's app.
  var appName: String { properties.appName }
  /// The flow's ID within its app.
  var name: String { properties.name }
  /// The number of versions, which are numbered from 1.
  var versionCount: Int { properties.versionCount }
  /// The beginning of the IDs of attempts, or `nil` if the flow counts persons (`"count_by": "person"`).
  var attemptPrefix: String? { properties.attemptPrefix }

  /// The set of all versions: bit v - 1 represents version v.
  var allVersions: UInt8 { UInt8((1 << versionCount) - 1) }

  /// The reference without a version, for example `clarity/onboarding`.
  var reference: String { "\(appName)/\(name)" }
}
