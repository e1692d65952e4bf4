import FunnelProjections

/// The report of `funnel report access`: how many groups can use each feature, can still be asked, or must use
/// the system's settings.
public enum AccessReport: NamedReport {
  public typealias Projector = AccessProjector

  public static let name = "access"
  public static let heading = "Access"

  public static let fields: [Field<AccessRow>] = [
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
