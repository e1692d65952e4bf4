public import FunnelProjections

/// The answers to one permission in one flow version and segment.
public struct GrantRow: Hashable, Sendable {
  public var key: RowKey
  public var title: String
  public var permission: String
  /// The meaning of a grant if the system does not disclose the answer (as with HealthKit), from the flow's
  /// `grant_undisclosed` rule, or `nil` without such a rule.
  public var note: String?
  /// The number of groups with a pre-prompt, the denominator of the rates.
  public var prompted: Int
  public var granted: Int
  public var limited: Int
  /// The number of groups with quiet notifications, which the system allows without a dialog. They have access
  /// without a grant.
  public var provisional: Int
  public var denied: Int
  public var skipped: Int
  public var unanswered: Int
  public var inProgress: Int
  /// The number of groups that first denied or skipped, and granted later, perhaps in part.
  public var recovered: Int
  /// The number of groups with a system dialog and no pre-prompt before it, or `nil` if the query has segments
  /// or conditions.
  public var unprimed: Int?
  /// The share of prompted groups that granted.
  public var grantRate: Rate?
  /// The share of prompted groups with full, limited or provisional access.
  public var accessRate: Rate?
  /// The share of groups that granted, among those that answered the system's dialog.
  public var dialogGrantRate: Rate?
  /// The grants of the groups whose window has closed.
  public var closed: ClosedGrants
  /// The time from the pre-prompt to the first decision, in milliseconds.
  public var decisionTime: Quantiles?
  /// The number of recovered groups that the app had sent to the system's settings, or `nil` if the flow
  /// declares no such event.
  public var recoveredViaSettings: Int?

  public init(
    key: RowKey,
    title: String = "",
    permission: String,
    note: String? = nil,
    prompted: Int,
    granted: Int,
    limited: Int,
    provisional: Int = 0,
    denied: Int,
    skipped: Int,
    unanswered: Int,
    inProgress: Int,
    recovered: Int,
    unprimed: Int? = nil,
    grantRate: Rate? = nil,
    accessRate: Rate? = nil,
    dialogGrantRate: Rate? = nil,
    closed: ClosedGrants = ClosedGrants(),
    decisionTime: Quantiles? = nil,
    recoveredViaSettings: Int? = nil
  ) {
    self.key = key
    self.title = title
    self.permission = permission
    self.note = note
    self.prompted = prompted
    self.granted = granted
    self.limited = limited
    self.provisional = provisional
    self.denied = denied
    self.skipped = skipped
    self.unanswered = unanswered
    self.inProgress = inProgress
    self.recovered = recovered
    self.unprimed = unprimed
    self.grantRate = grantRate
    self.accessRate = accessRate
    self.dialogGrantRate = dialogGrantRate
    self.closed = closed
    self.decisionTime = decisionTime
    self.recoveredViaSettings = recoveredViaSettings
  }
}

/// The grants of the groups whose window has closed.
public struct ClosedGrants: Hashable, Sendable {
  public var prompted: Int
  public var granted: Int
  public var grantRate: Rate?

  public init(prompted: Int = 0, granted: Int = 0, grantRate: Rate? = nil) {
    self.prompted = prompted
    self.granted = granted
    self.grantRate = grantRate
  }
}
