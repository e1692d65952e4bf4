import FunnelModel
import FunnelProjections

/// Writes a report as JSON, with the keys in the order of section 5 of the specification.
///
/// Each row and each step begins on a new line, so that two reports can be compared with `diff` and searched with `grep`.
struct JSONRenderer {
  private var output = JSONOutput()
  private let dimensions: [String]

  static func render(_ report: Report) -> String {
    var renderer = JSONRenderer(dimensions: report.query.by.map(\.description))
    renderer.append(report)
    return String(decoding: renderer.output.bytes, as: UTF8.self)
  }

  private init(dimensions: [String]) {
    self.dimensions = dimensions
  }

  private mutating func append(_ report: Report) {
    output.append("{\n  \"query\":")
    append(report.query)
    append(rows: report.funnel, key: ",\n  \"funnel\":") { $0.append($1) }
    append(rows: report.grants, key: ",\n  \"grants\":") { $0.append($1) }
    append(rows: report.dropoff, key: ",\n  \"dropoff\":") { $0.append($1) }
    append(report.damage)
    output.append("\n}\n")
  }

  private mutating func append(_ damage: ReportDamage?) {
    guard let damage else { return }
    output.append(",\n  \"damage\":{\"events_missing\":")
    output.append(damage.missingEvents)
    output.append(",\"places\":")
    output.append(lines: damage.places, indent: "\n    ", end: "\n  ") { output, place in
      output.append("{\"path\":")
      output.append(string: place.path)
      output.append(",\"offset\":")
      output.append(place.offset)
      output.append(",\"events_missing\":")
      output.append(place.events)
      output.append(",\"reason\":")
      output.append(string: place.reason)
      output.append("}")
    }
    output.append("}")
  }

  private mutating func append<Row>(rows: [Row]?, key: StaticString, row body: (inout JSONRenderer, Row) -> Void) {
    guard let rows else { return }
    output.append(key)
    output.append("[")
    for (index, row) in rows.enumerated() {
      output.append(index > 0 ? ",\n    " : "\n    ")
      body(&self, row)
    }
    output.append(rows.isEmpty ? "]" : "\n  ]")
  }

  private mutating func append(_ query: ReportQuery) {
    output.append("{\"since\":")
    output.append(text: query.since?.description)
    output.append(",\"until\":")
    output.append(text: query.until?.description)
    output.append(",\"now\":")
    output.append(string: query.now.description)
    output.append(",\"window_ms\":")
    output.append((query.window?.milliseconds).map(Int.init))
    output.append(",\"order\":")
    output.append(string: query.order.rawValue)
    output.append(",\"count_by\":")
    output.append(text: query.countBy?.rawValue)
    output.append(",\"by\":")
    output.append(strings: dimensions)
    output.append(",\"where\":")
    output.append(strings: query.conditions.map(\.description))
    output.append(",\"mature\":")
    output.append(query.isMature)
    output.append("}")
  }
}

extension JSONRenderer {
  private mutating func append(_ row: FunnelRow) {
    append(flowOf: row.key)
    output.append(",\"window_ms\":")
    output.append(integer: row.windowMilliseconds)
    append(segmentOf: row.key)
    output.append(",\"entered\":")
    output.append(row.entered)
    output.append(",\"completed\":")
    output.append(row.completed)
    output.append(",\"in_progress\":")
    output.append(row.inProgress)
    output.append(",\"dropped\":")
    output.append(row.dropped)
    append(rate: row.conversion, key: ",\"conversion\":", intervalKey: ",\"conversion_ci95\":")
    append(row.closed)
    output.append(",\"steps\":")
    output.append(lines: row.steps, indent: "\n      ", end: "\n    ") { $0.append($1) }
    output.append("}")
  }

  private mutating func append(_ row: GrantRow) {
    append(flowOf: row.key)
    output.append(",\"permission\":")
    output.append(string: row.permission)
    append(segmentOf: row.key)
    output.append(",\"prompted\":")
    output.append(row.prompted)
    output.append(",\"granted\":")
    output.append(row.granted)
    output.append(",\"limited\":")
    output.append(row.limited)
    output.append(",\"denied\":")
    output.append(row.denied)
    output.append(",\"skipped\":")
    output.append(row.skipped)
    output.append(",\"unanswered\":")
    output.append(row.unanswered)
    output.append(",\"in_progress\":")
    output.append(row.inProgress)
    output.append(",\"recovered\":")
    output.append(row.recovered)
    output.append(",\"unprimed\":")
    output.append(row.unprimed)
    append(rate: row.grantRate, key: ",\"grant_rate\":", intervalKey: ",\"grant_rate_ci95\":")
    append(rate: row.accessRate, key: ",\"access_rate\":", intervalKey: ",\"access_rate_ci95\":")
    append(rate: row.dialogGrantRate, key: ",\"dialog_grant_rate\":", intervalKey: ",\"dialog_grant_rate_ci95\":")
    append(row.closed)
    output.append(",\"decision_ms\":")
    output.append(row.decisionTime)
    if let note = row.note {
      output.append(",\"note\":")
      output.append(string: note)
    }
    output.append("}")
  }

  private mutating func append(_ closed: ClosedConversion) {
    output.append(",\"closed\":{\"entered\":")
    output.append(closed.entered)
    output.append(",\"completed\":")
    output.append(closed.completed)
    append(rate: closed.conversion, key: ",\"conversion\":", intervalKey: ",\"conversion_ci95\":")
    output.append("}")
  }

  private mutating func append(_ closed: ClosedGrants) {
    output.append(",\"closed\":{\"prompted\":")
    output.append(closed.prompted)
    output.append(",\"granted\":")
    output.append(closed.granted)
    append(rate: closed.grantRate, key: ",\"grant_rate\":", intervalKey: ",\"grant_rate_ci95\":")
    output.append("}")
  }

  private mutating func append(_ row: DropoffRow) {
    append(flowOf: row.key)
    append(segmentOf: row.key)
    output.append(",\"entered\":")
    output.append(row.entered)
    output.append(",\"dropped\":")
    output.append(row.dropped)
    output.append(",\"steps\":")
    output.append(lines: row.steps, indent: "\n      ", end: "\n    ") { $0.append($1) }
    output.append("}")
  }

  private mutating func append(flowOf key: RowKey) {
    output.append("{\"app\":")
    output.append(string: key.app)
    output.append(",\"flow\":")
    output.append(string: key.flow)
    output.append(",\"version\":")
    output.append(key.version)
  }

  /// Appends the segment as an object, in the order of the query. A repeated dimension is written once, because JSON keys must be
  /// unique.
  private mutating func append(segmentOf key: RowKey) {
    output.append(",\"by\":{")
    var isFirst = true
    for (index, dimension) in dimensions.enumerated() where dimensions.firstIndex(of: dimension) == index {
      if !isFirst { output.append(",") }
      isFirst = false
      output.append(string: dimension)
      output.append(":")
      output.append(index < key.segment.count ? key.segment[index] : .null)
    }
    output.append("}")
  }

  private mutating func append(rate: Rate?, key: StaticString, intervalKey: StaticString) {
    output.append(key)
    output.append(rate?.value)
    output.append(intervalKey)
    output.append(interval: rate)
  }
}

extension JSONOutput {
  fileprivate mutating func append(_ step: FunnelStepRow) {
    append("{\"id\":")
    append(string: step.id)
    append(",\"label\":")
    append(string: step.label)
    append(",\"optional\":")
    append(step.isOptional)
    append(",\"reached\":")
    append(step.reached)
    append(",\"from_previous\":")
    append(step.fromPrevious)
    append(",\"from_start\":")
    append(step.fromStart)
    append(",\"dropped\":")
    append(step.dropped)
    append(",\"in_progress\":")
    append(step.inProgress)
    append(",\"time_from_previous_ms\":")
    append(step.timeFromPrevious)
    append("}")
  }

  fileprivate mutating func append(_ step: DropoffStepRow) {
    append("{\"id\":")
    append(string: step.id)
    append(",\"label\":")
    append(string: step.label)
    append(",\"dropped\":")
    append(step.dropped)
    append(",\"share_of_entered\":")
    append(step.shareOfEntered)
    append(",\"share_of_reached\":")
    append(step.shareOfReached)
    append(",\"exits\":")
    append(counts: ExitKind.allCases.map { (key: $0.name, count: step.count(of: $0)) })
    append(",\"last_step\":")
    append(counts: step.lastSteps.map { (key: $0.id, count: $0.groups) })
    append(",\"dwell_ms\":")
    append(step.dwell)
    append("}")
  }

  /// Appends an object of counts.
  private mutating func append(counts: [(key: String, count: Int)]) {
    append("{")
    for (index, entry) in counts.enumerated() {
      if index > 0 { append(",") }
      append(string: entry.key)
      append(":")
      append(entry.count)
    }
    append("}")
  }
}
