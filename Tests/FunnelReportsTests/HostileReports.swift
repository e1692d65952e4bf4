import FunnelModel
import FunnelProjections
@testable import FunnelReports
import FunnelTestSupport

extension SampleReports {
  /// Returns a report of two segments that has the same text wherever a text can occur.
  static func hostile(_ text: String) -> Report {
    var query = ReportQuery(now: now)
    query.by = [.context(text), .property("p" + text)]
    query.conditions = [SegmentCondition("ctx.x~y\(text)y")!]
    let keys = [[PropertyValue.string(text), .string("x" + text)], [.null, .string(text)]].map {
      RowKey(app: text, flow: text, version: 1, segment: $0)
    }
    let funnel = keys.map { key in
      var row = cleaner()
      row.key = key
      row.title = text
      for index in row.steps.indices {
        row.steps[index].id = text
        row.steps[index].label = text
      }
      return row
    }
    let grants = keys.map { key in
      var row = grant(text, note: text, prompted: 20, granted: 12, limited: 1, denied: 4, skipped: 3)
      row.key = key
      return row
    }
    let dropoffs = keys.map { key in
      var row = dropoff
      row.key = key
      row.title = text
      for index in row.steps.indices {
        row.steps[index].id = text
        row.steps[index].label = text
        row.steps[index].lastSteps = [LastStep(id: text + "x", label: text, groups: 2)]
      }
      return row
    }
    return Report(query: query, funnel: funnel, grants: grants, dropoff: dropoffs)
  }

  /// Returns each named report of a report on its own.
  static func named(_ report: Report) -> [Report] {
    [
      Report(query: report.query, funnel: report.funnel), Report(query: report.query, grants: report.grants),
      Report(query: report.query, dropoff: report.dropoff),
    ]
  }

  /// Returns a report of the first segment only, whose steps are printed one by one.
  static func firstSegment(_ report: Report) -> Report {
    Report(
      query: report.query, funnel: report.funnel.map { Array($0.prefix(1)) }, grants: report.grants.map { Array($0.prefix(1)) },
      dropoff: report.dropoff.map { Array($0.prefix(1)) })
  }
}
