import FunnelModel
import FunnelProjections

/// The columns of each report, in the order of the JSON keys.
extension CSVRenderer {
  typealias FunnelLine = (row: FunnelRow, step: FunnelStepRow)
  typealias DropoffLine = (row: DropoffRow, step: DropoffStepRow)

  var funnelColumns: [CSVColumn<FunnelLine>] {
    var columns: [CSVColumn<FunnelLine>] = flowColumns { $0.row.key }
    columns.append(.count("window_ms") { Int($0.row.windowMilliseconds) })
    columns += segmentColumns { $0.row.key }
    columns += [.count("entered") { $0.row.entered }, .count("completed") { $0.row.completed }]
    columns += CSVColumn.rate("conversion") { $0.row.conversion }
    columns += [.count("closed_entered") { $0.row.closed.entered }, .count("closed_completed") { $0.row.closed.completed }]
    columns += CSVColumn.rate("closed_conversion") { $0.row.closed.conversion }
    columns += [
      .text("id") { $0.step.id }, .text("label") { $0.step.label }, .init("optional") { $0.step.isOptional ? "true" : "false" },
      .count("reached") { $0.step.reached }, .share("from_previous") { $0.step.fromPrevious },
      .share("from_start") { $0.step.fromStart }, .count("dropped") { $0.step.dropped },
      .count("in_progress") { $0.step.inProgress },
    ]
    return columns + CSVColumn.quantiles("time_from_previous_ms") { $0.step.timeFromPrevious }
  }

  var grantColumns: [CSVColumn<GrantRow>] {
    var columns: [CSVColumn<GrantRow>] = flowColumns(\.key)
    columns.append(.text("permission", \.permission))
    columns += segmentColumns(\.key)
    columns += [
      .count("prompted", \.prompted), .count("granted", \.granted), .count("limited", \.limited), .count("denied", \.denied),
      .count("skipped", \.skipped), .count("unanswered", \.unanswered), .count("in_progress", \.inProgress),
      .count("recovered", \.recovered), .count("unprimed", \.unprimed),
    ]
    columns += CSVColumn.rate("grant_rate", \.grantRate)
    columns += CSVColumn.rate("access_rate", \.accessRate)
    columns += CSVColumn.rate("dialog_grant_rate", \.dialogGrantRate)
    columns += [.count("closed_prompted", \.closed.prompted), .count("closed_granted", \.closed.granted)]
    columns += CSVColumn.rate("closed_grant_rate", \.closed.grantRate)
    columns += CSVColumn.quantiles("decision_ms", \.decisionTime)
    return columns + [.text("note", \.note)]
  }

  var dropoffColumns: [CSVColumn<DropoffLine>] {
    var columns: [CSVColumn<DropoffLine>] = flowColumns { $0.row.key }
    columns += segmentColumns { $0.row.key }
    columns += [
      .count("entered") { $0.row.entered }, .text("id") { $0.step.id }, .text("label") { $0.step.label },
      .count("dropped") { $0.step.dropped }, .share("share_of_entered") { $0.step.shareOfEntered },
      .share("share_of_reached") { $0.step.shareOfReached },
    ]
    columns += ExitKind.allCases.map { kind in .count("exits_\(kind.name)") { $0.step.count(of: kind) } }
    // CSV has no nested values, so the map is written into one cell: `photos=20;push=15`.
    columns.append(
      .text("last_step") { line in
        line.step.lastSteps.isEmpty ? nil : line.step.lastSteps.map { "\($0.id)=\($0.groups)" }.joined(separator: ";")
      })
    return columns + CSVColumn.quantiles("dwell_ms") { $0.step.dwell }
  }
}
