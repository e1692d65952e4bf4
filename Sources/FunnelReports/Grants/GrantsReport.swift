package import FunnelModel

/// The report of `funnel report grants`: the answers of groups to each permission that a flow asks for.
package enum GrantsReport: NamedReport {
  package typealias Projector = GrantsProjector

  package static let name = "grants"
  package static let heading = "Permission answers"

  package static let fields: [Field<GrantRow>] = [
    .text("permission") { $0.permission },
    .segment,
    .count("prompted") { $0.prompted },
    .count("granted") { $0.granted },
    .count("limited") { $0.limited },
    .optionalCount("provisional") { $0.provisional > 0 ? $0.provisional : nil },
    .count("denied") { $0.denied },
    .count("skipped") { $0.skipped },
    .count("unanswered") { $0.unanswered },
    .count("in_progress") { $0.inProgress },
    .count("recovered") { $0.recovered },
    .count("unprimed") { $0.unprimed },
    .rate("grant_rate") { $0.grantRate },
    .rate("access_rate") { $0.accessRate },
    .rate("dialog_grant_rate") { $0.dialogGrantRate },
    .object(
      "closed",
      [
        .count("prompted") { $0.closed.prompted },
        .count("granted") { $0.closed.granted },
        .rate("grant_rate") { $0.closed.grantRate },
      ]),
    .quantiles("decision_ms") { $0.decisionTime },
    .optionalCount("recovered_via_settings") { $0.recoveredViaSettings },
    .remark("note") { $0.note },
  ]
}

/// The answers to one permission in one flow version and segment.
package struct GrantRow: ReportRow {
  package var key: RowKey
  package var title = ""
  package var permission: String
  /// The meaning of a grant if the system does not disclose the answer (as with HealthKit), from the flow's
  /// `grant_undisclosed` rule, or `nil` without such a rule.
  package var note: String?
  /// The number of groups with a pre-prompt, the denominator of the rates.
  package var prompted = 0
  package var granted = 0
  package var limited = 0
  /// The number of groups with quiet notifications, which the system allows without a dialog. They have access
  /// without a grant.
  package var provisional = 0
  package var denied = 0
  package var skipped = 0
  package var unanswered = 0
  package var inProgress = 0
  /// The number of groups that first denied or skipped, and granted later, perhaps in part.
  package var recovered = 0
  /// The number of groups with a system dialog and no pre-prompt before it, or `nil` if the query has segments
  /// or conditions.
  package var unprimed: Int?
  /// The share of prompted groups that granted.
  package var grantRate: Rate?
  /// The share of prompted groups with full, limited or provisional access.
  package var accessRate: Rate?
  /// The share of groups that granted, among those that answered the system's dialog.
  package var dialogGrantRate: Rate?
  /// The grants of the groups whose window has closed.
  package var closed = ClosedGrants()
  /// The time from the pre-prompt to the first decision, in milliseconds.
  package var decisionTime: Quantiles?
  /// The number of recovered groups that the app had sent to the system's settings, or `nil` if the flow
  /// declares no such event.
  package var recoveredViaSettings: Int?

  package var groups: Int { prompted }

  /// The grant rate for its interval, or `nil` if no window is closed, because the final rate is then unknown.
  var grantRateWithInterval: Rate? { prompted > 0 && closed.prompted == 0 ? nil : grantRate }
  /// The access rate for its interval, or `nil` if no window is closed.
  var accessRateWithInterval: Rate? { prompted > 0 && closed.prompted == 0 ? nil : accessRate }

  /// Whether the grant rate is not final: many groups have not answered yet, or most windows are open.
  var isYoung: Bool {
    // After an answer, the rate changes only if a group recovers from a denial, which is rare.
    ManyInProgress.holds(inProgress, of: prompted) || closed.prompted < prompted / 2
  }

  package var isConsistent: Bool {
    prompted == granted + limited + provisional + denied + skipped + unanswered + inProgress
  }
}

/// The grants of the groups whose window has closed.
package struct ClosedGrants: Hashable, Sendable {
  package var prompted: Int
  package var granted: Int
  package var grantRate: Rate?

  package init(prompted: Int = 0, granted: Int = 0, grantRate: Rate? = nil) {
    self.prompted = prompted
    self.granted = granted
    self.grantRate = grantRate
  }
}

extension GrantRow {
  /// Creates a row without groups.
  package init(key: RowKey, title: String, permission: String) {
    self.key = key
    self.title = title
    self.permission = permission
  }
}
