import FunnelModel
import FunnelProjections
@testable import FunnelReports
import FunnelTestSupport

/// Reports with known numbers, for golden outputs.
enum SampleReports {
  static let now = Timestamp(rfc3339: "2026-11-21T06:00:00Z")!

  static func rate(_ part: Int, of whole: Int) -> Rate? {
    guard whole > 0 else { return nil }
    let share = Double(part) / Double(whole)
    return Rate(value: share, low: max(share - 0.0625, 0), high: min(share + 0.0625, 1), denominator: whole)
  }

  static func step(
    _ id: String, _ label: String, optional: Bool = false, reached: Int, previous: Int, start: Int, dropped: Int? = nil,
    inProgress: Int? = nil, times: Quantiles? = nil
  ) -> FunnelStepRow {
    FunnelStepRow(
      id: id, label: label, isOptional: optional, reached: reached, fromPrevious: Double(reached) / Double(previous),
      fromStart: Double(reached) / Double(start), dropped: dropped, inProgress: inProgress, timeFromPrevious: times)
  }

  static func key(_ app: String, _ flow: String, _ version: Int = 1, _ segment: [PropertyValue] = []) -> RowKey {
    RowKey(app: app, flow: flow, version: version, segment: segment)
  }

  /// The funnel of a storage cleaner that asks 1,248 people for photos and contacts.
  static func cleaner(segment: [PropertyValue] = []) -> FunnelRow {
    FunnelRow(
      key: key("cleaner", "permissions_flow", 1, segment), title: "Permissions", windowMilliseconds: 604_800_000, entered: 1248,
      completed: 780, inProgress: 36, dropped: 432, conversion: rate(780, of: 1248),
      closed: ClosedConversion(entered: 1200, completed: 768, conversion: rate(768, of: 1200)),
      steps: [
        step("start", "Flow started", reached: 1248, previous: 1248, start: 1248, dropped: 78, inProgress: 12),
        step(
          "photos", "Photo access", reached: 1158, previous: 1248, start: 1248, dropped: 234, inProgress: 16,
          times: Quantiles(p50: 900, p90: 2100, p99: 4000)),
        step(
          "contacts", "Contacts access", reached: 908, previous: 1158, start: 1248, dropped: 120, inProgress: 8,
          times: Quantiles(p50: 4200, p90: 123_000, p99: 82_803_000)),
        step(
          "push", "Notifications", optional: true, reached: 612, previous: 908, start: 1248,
          times: Quantiles(p50: 5000, p90: 9100, p99: 600_000)),
        step(
          "completed", "Flow completed", reached: 780, previous: 908, start: 1248, dropped: 0, inProgress: 0,
          times: Quantiles(p50: 12_000, p90: 105_000, p99: 604_798_000)),
      ])
  }

  static func grant(
    _ permission: String, segment: [PropertyValue] = [], note: String? = nil, prompted: Int, granted: Int, limited: Int,
    denied: Int, skipped: Int, unanswered: Int = 0, inProgress: Int = 0, recovered: Int = 0, unprimed: Int? = 0
  ) -> GrantRow {
    GrantRow(
      key: key("cleaner", "permissions_flow", 1, segment), permission: permission, note: note, prompted: prompted,
      granted: granted, limited: limited, denied: denied, skipped: skipped, unanswered: unanswered, inProgress: inProgress,
      recovered: recovered, unprimed: unprimed, grantRate: rate(granted, of: prompted),
      accessRate: rate(granted + limited, of: prompted), dialogGrantRate: rate(granted, of: granted + limited + denied),
      closed: ClosedGrants(prompted: prompted / 2, granted: granted / 2, grantRate: rate(granted / 2, of: prompted / 2)),
      decisionTime: Quantiles(p50: 1500, p90: 4000, p99: 9000))
  }

  static let grants = [
    grant(
      "photos", prompted: 1158, granted: 764, limited: 96, denied: 187, skipped: 82, unanswered: 17, inProgress: 12,
      recovered: 23, unprimed: 4),
    grant("contacts", prompted: 908, granted: 512, limited: 31, denied: 240, skipped: 117, inProgress: 8, recovered: 9),
    grant("push", prompted: 24, granted: 12, limited: 0, denied: 9, skipped: 3),
  ]

  static let dropoff = DropoffRow(
    key: key("cleaner", "permissions_flow"), title: "Permissions", entered: 1248, dropped: 432, inProgress: 36,
    steps: [
      DropoffStepRow(
        id: "start", label: "Flow started", dropped: 78, shareOfEntered: 0.0625, shareOfReached: 0.0625,
        reached: 1248, inProgress: 12, closed: ClosedDropoff(reached: 1212, dropped: 78), lostCompletions: 53.65,
        exits: [0, 0, 0, 0, 78, 0], lastSteps: [LastStep(id: "start", label: "Flow started", groups: 78)]),
      DropoffStepRow(
        id: "photos", label: "Photo access", dropped: 234, shareOfEntered: 0.1875, shareOfReached: 234.0 / 1158,
        reached: 1158, inProgress: 16, closed: ClosedDropoff(reached: 1134, dropped: 234), lostCompletions: 202.8,
        exits: [12, 180, 0, 2, 35, 5],
        lastSteps: [LastStep(id: "photos", label: "Photo access", groups: 234)],
        dwell: Quantiles(p50: 3100, p90: 8000, p99: 61_000)),
      DropoffStepRow(
        id: "contacts", label: "Contacts access", dropped: 120, shareOfEntered: 120.0 / 1248, shareOfReached: 120.0 / 908,
        reached: 908, inProgress: 8, closed: ClosedDropoff(reached: 900, dropped: 120), lostCompletions: 120,
        exits: [30, 81, 1, 0, 8, 0],
        lastSteps: [
          LastStep(id: "contacts", label: "Contacts access", groups: 70),
          LastStep(id: "push", label: "Notifications", groups: 50),
        ],
        dwell: Quantiles(p50: 3_723_000, p90: 12_000_000, p99: 300_000_000)),
    ])

  static let full = Report(query: ReportQuery(now: now), funnel: [cleaner()], grants: grants, dropoff: [dropoff])

  /// A report with a permission whose answer the system does not disclose, steps where nobody dropped, and few groups.
  static var health: Report {
    var row = grant(
      "healthkit", note: "asked and answered; the answer to a read request is not disclosed", prompted: 20, granted: 18,
      limited: 0, denied: 0, skipped: 2)
    row.key = key("trendy", "onboarding", 1)
    row.dialogGrantRate = nil
    row.decisionTime = nil
    let steps = ["Welcome", "Sign in", "Create event type", "Log first event", "Permissions"].enumerated().map { index, label in
      DropoffStepRow(
        id: "step_\(index)", label: label, dropped: index == 1 ? 3 : 0, shareOfEntered: index == 1 ? 0.125 : 0,
        shareOfReached: index == 1 ? 0.125 : 0, reached: index > 1 ? 21 : 24,
        closed: ClosedDropoff(reached: index > 1 ? 21 : 24, dropped: index == 1 ? 3 : 0), lostCompletions: index == 1 ? 3 : 0,
        exits: index == 1 ? [0, 0, 0, 1, 2, 0] : [0, 0, 0, 0, 0, 0],
        dwell: index == 1 ? Quantiles(p50: 45_000, p90: 59_600, p99: 3_599_700) : nil)
    }
    let dropoff = DropoffRow(key: key("trendy", "onboarding", 1), title: "Onboarding", entered: 24, dropped: 3, steps: steps)
    return Report(query: ReportQuery(now: now), grants: [row], dropoff: [dropoff])
  }

  /// A report of two variants of one flow, and of a group without a variant.
  static var segmented: Report {
    var query = ReportQuery(now: now)
    query.since = Timestamp(rfc3339: "2026-11-01T00:00:00Z")
    query.window = TimeSpan("12h")
    query.by = [.context("variant"), .week]
    query.conditions = [SegmentCondition("ctx.country!=DE")!]
    let segments: [[PropertyValue]] = [
      [.string("B"), .string("2026-W46")], [.string("A"), .string("2026-W46")], [.null, .string("2026-W47")],
    ]
    let rows = zip(segments, [1.0, 0.75, 0.02]).map { scaled(cleaner(segment: $0), by: $1) }
    let grantRows = zip(segments, [60, 52, 9]).map { segment, granted in
      grant(
        "photos", segment: segment, prompted: granted + 17, granted: granted, limited: 5, denied: 3, skipped: 5,
        unanswered: 3, inProgress: 1, recovered: 2, unprimed: nil)
    }
    let dropoffRows = zip(segments, [1, 2, 5]).map { segment, divisor in
      var row = dropoff
      row.entered /= divisor
      row.dropped /= divisor
      row.inProgress /= divisor
      row.key.segment = segment
      return row
    }
    return Report(query: query, funnel: rows, grants: grantRows, dropoff: dropoffRows)
  }

  static func scaled(_ row: FunnelRow, by factor: Double) -> FunnelRow {
    func scale(_ count: Int) -> Int { Int(Double(count) * factor) }
    var row = row
    row.entered = scale(row.entered)
    row.completed = scale(row.completed)
    row.inProgress = scale(row.inProgress)
    row.dropped = row.entered - row.completed - row.inProgress
    row.conversion = rate(row.completed, of: row.entered)
    var previous = row.entered
    for index in row.steps.indices {
      let reached = scale(row.steps[index].reached ?? 0)
      row.steps[index].reached = reached
      row.steps[index].fromPrevious = previous > 0 ? Double(reached) / Double(previous) : nil
      row.steps[index].fromStart = row.entered > 0 ? Double(reached) / Double(row.entered) : nil
      row.steps[index].dropped = row.steps[index].dropped.map(scale)
      row.steps[index].inProgress = row.steps[index].inProgress.map(scale)
      if !row.steps[index].isOptional { previous = reached }
    }
    return row
  }
}
