public import FunnelProjections

/// The features that groups of one flow version in one segment can use.
public struct AccessRow: ReportRow {
  public var key: RowKey
  public var title: String
  public var entered: Int
  public var features: [FeatureAccess]
  /// The hints shown to groups whose access is limited.
  public var hints: [AccessHint]

  public var groups: Int { entered }
}

/// A feature, with the answers to the permission that it needs.
public struct FeatureAccess: Hashable, Sendable {
  public var feature: String
  public var answers: AccessAnswers
}

/// The number of groups that entered the flow, by their answer to one permission.
public struct AccessAnswers: Hashable, Sendable {
  public var permission: String
  public var entered: Int
  public var granted: Int
  public var limited: Int
  public var provisional: Int
  public var denied: Int
  public var skipped: Int
  public var unanswered: Int
  public var inProgress: Int
  public var neverAsked: Int

  /// The number of groups that can use the feature.
  public var open: Int { granted + limited + provisional }
  /// The number of groups that decided against the permission.
  public var locked: Int { denied + skipped }
  /// The number of groups without a decision.
  public var undecided: Int { unanswered + inProgress + neverAsked }
  /// The number of groups that the app can still ask.
  public var askable: Int { skipped + neverAsked + unanswered }
  /// The number of groups that can grant the permission only in the system's settings.
  public var settingsOnly: Int { denied }
  public var openShare: Rate? { Rate(open, of: entered) }
  public var lockedShare: Rate? { Rate(locked, of: entered) }
}

/// A hint that the app shows to groups whose access is limited.
public struct AccessHint: Hashable, Sendable {
  public var permission: String
  public var hint: String
  public var groups: Int
}
