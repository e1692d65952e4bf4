package import FunnelModel
import FunnelProjections
import FunnelRendering

/// The report of `funnel report access`: how many groups can use each feature, can still be asked, or must use
/// the system's settings.
package enum AccessReport: NamedReport {
  package typealias Projector = AccessProjector

  package static let name = "access"
  package static let heading = "Access"

  package static let fields: [Field<AccessRow>] = [
    .segment,
    .count("entered") { $0.entered },
    .list(
      "features",
      [
        .text("feature") { $0.feature },
        .text("permission") { $0.answers.permission },
        .count("open") { $0.answers.open },
        .count("limited") { $0.answers.limited },
        .count("locked") { $0.answers.locked },
        .count("undecided") { $0.answers.undecided },
        .rate("open_share") { $0.answers.openShare },
        .rate("locked_share") { $0.answers.lockedShare },
        .count("askable") { $0.answers.askable },
        .count("settings_only") { $0.answers.settingsOnly },
      ], { $0.features }),
    .tree("hints") { row in
      .array(
        row.hints.map {
          .object([("permission", .text($0.permission)), ("hint", .text($0.hint)), ("groups", .count($0.groups))])
        })
    },
  ]
}

/// The features that groups of one flow version in one segment can use.
package struct AccessRow: ReportRow {
  package var key: RowKey
  package var title: String
  package var entered: Int
  package var features: [FeatureAccess]
  /// The hints shown to groups whose access is limited.
  package var hints: [AccessHint]

  package var groups: Int { entered }

  package var isConsistent: Bool { features.allSatisfy { $0.answers.open + $0.answers.locked <= entered } }

  /// The answers to each permission, in the order of the features.
  var answersByPermission: [AccessAnswers] { features.map(\.answers).unique { $0.permission } }
}

/// A feature, with the answers to the permission that it needs.
package struct FeatureAccess: Hashable, Sendable {
  package var feature: String
  package var answers: AccessAnswers
}

/// The number of groups that entered the flow, by their answer to one permission.
package struct AccessAnswers: Hashable, Sendable {
  package var permission: String
  package var entered: Int
  package var granted: Int
  package var limited: Int
  package var provisional: Int
  package var denied: Int
  package var skipped: Int
  package var unanswered: Int
  package var inProgress: Int
  package var neverAsked: Int

  /// The number of groups that can use the feature.
  package var open: Int { granted + limited + provisional }
  /// The number of groups that decided against the permission.
  package var locked: Int { denied + skipped }
  /// The number of groups without a decision.
  package var undecided: Int { unanswered + inProgress + neverAsked }
  /// The number of groups that the app can still ask.
  package var askable: Int { skipped + neverAsked + unanswered }
  /// The number of groups that can grant the permission only in the system's settings.
  package var settingsOnly: Int { denied }
  package var openShare: Rate? { Rate(open, of: entered) }
  package var lockedShare: Rate? { Rate(locked, of: entered) }
}

/// A hint that the app shows to groups whose access is limited.
package struct AccessHint: Hashable, Sendable {
  package var permission: String
  package var hint: String
  package var groups: Int
}
