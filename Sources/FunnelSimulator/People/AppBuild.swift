/// A release of an app and its logging behaviour.
struct AppBuild {
  /// The value of `ctx.app_version`.
  var appVersion: String
  /// The version of the onboarding flow that the release ships.
  var flowVersion: UInt8 = 1
  /// The weight of the release among the app's installs with the same flow version.
  var weight: Int
  /// Whether the release logs as the oldest builds of its app did.
  var isLegacy = false
  /// Whether the release logs values as the source code of the app spells them (`textSomeone`, `photoImport`), which flow definitions
  /// map to today's (`text_someone`, `photo_import`).
  var usesOwnSpelling = false
  /// Whether the release of cleaner shows "You're all set!" after the flow was completed rather than before.
  var showsAllSetLast = false
  /// Whether events name their flow and its version. If not, the pipeline has to find the flow that declares them.
  var namesFlow = true
  var hasAttempt = true
  var hasSequence = false
  var timeStyle = TimeStyle.utc
  /// Whether event ids are UUIDs rather than short ids of the app's own form.
  var hasUniversalIdentifiers = true

  /// The format of timestamps.
  enum TimeStyle: UInt8 {
    /// `2026-11-20T10:15:30.123Z`
    case utc
    /// `2026-11-20T11:15:30.123+01:00`
    case local
    /// Milliseconds since the epoch, as a number.
    case milliseconds
  }
}

extension SimulatedApp {
  /// The releases in use, oldest first.
  var builds: [AppBuild] {
    switch self {
    case .cleaner: Self.cleanerBuilds
    case .trendy: Self.trendyBuilds
    case .clarity: Self.clarityBuilds
    case .smilepile: Self.smilepileBuilds
    case .declared: Self.declaredBuilds
    }
  }

  /// A definition tells nothing about the app's builds except their versions, which are written in place of this one.
  private static let declaredBuilds = [AppBuild(appVersion: "1.0", weight: 1)]

  private static let cleanerBuilds = [
    AppBuild(
      appVersion: "2.8.0", weight: 11, isLegacy: true, namesFlow: false, hasAttempt: false, hasUniversalIdentifiers: false),
    AppBuild(appVersion: "2.9.4", weight: 14, isLegacy: true, namesFlow: false, hasAttempt: false),
    AppBuild(appVersion: "3.0.1", weight: 18),
    AppBuild(appVersion: "3.1.0", weight: 25, hasSequence: true),
    AppBuild(appVersion: "3.2.1", weight: 32, showsAllSetLast: true, hasSequence: true),
  ]

  private static let trendyBuilds = [
    AppBuild(appVersion: "1.0.2", weight: 12, namesFlow: false, timeStyle: .local),
    AppBuild(appVersion: "1.1.0", weight: 23),
    AppBuild(appVersion: "1.2.0", weight: 30, hasSequence: true, timeStyle: .milliseconds),
    AppBuild(appVersion: "1.2.3", weight: 35, hasSequence: true),
  ]

  private static let clarityBuilds = [
    AppBuild(appVersion: "1.3.0", weight: 40, usesOwnSpelling: true, hasUniversalIdentifiers: false),
    AppBuild(appVersion: "1.4.2", weight: 60),
    AppBuild(appVersion: "2.0.0", flowVersion: 2, weight: 20, timeStyle: .local),
    AppBuild(appVersion: "2.0.3", flowVersion: 2, weight: 35, hasSequence: true),
    AppBuild(appVersion: "2.1.0", flowVersion: 2, weight: 45, hasSequence: true),
  ]

  private static let smilepileBuilds = [
    AppBuild(
      appVersion: "1.0.0", weight: 15, isLegacy: true, usesOwnSpelling: true, hasAttempt: false, hasUniversalIdentifiers: false),
    AppBuild(appVersion: "1.1.2", weight: 25, isLegacy: true),
    AppBuild(appVersion: "1.4.0", weight: 60, timeStyle: .milliseconds),
    AppBuild(appVersion: "2.0.0", flowVersion: 2, weight: 40, hasSequence: true),
    AppBuild(appVersion: "2.1.1", flowVersion: 2, weight: 60, hasSequence: true),
  ]
}
