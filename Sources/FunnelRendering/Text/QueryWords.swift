package import FunnelModel

/// The options of a query in words, which renderers print above a report in an order of their own. Options with
/// their default value have no words. All times are in the time zone of the query, which is named once.
struct QueryWords<Rule: EscapeRule> {
  typealias Words = Escaped<Rule>

  /// The time of the query, with the name of its time zone.
  let now: Words
  /// The beginning and the end of the period.
  let period: [Words]
  /// The past state of the log.
  let log: [Words]
  /// Whether only closed windows count.
  let closed: [Words]
  /// The order of the steps, the start, and the unit of counting.
  let counting: [Words]

  init(_ query: ReportQuery) {
    let zone = query.timeZone
    now = "\(query.now.minuteText(in: zone)) \(zone.name)"
    period = [
      query.since.map { "since \($0.minuteText(in: zone))" }, query.until.map { "until \($0.minuteText(in: zone))" },
    ].compactMap { $0 }
    log = query.asOf.map { ["log as it stood at \($0.text(in: zone))"] } ?? []
    closed = query.isMature ? ["closed windows only"] : []
    counting = [
      query.order == .ordered ? nil : "order \(query.order.rawValue)",
      query.anchor == .best ? "best start in the period" : nil,
      query.countBy.map { "counted by \($0.rawValue)" },
    ].compactMap { $0 }
  }
}

extension LogMoment {
  /// Returns the commit, or the local time.
  fileprivate func text(in zone: TimeZoneRules) -> String {
    switch self {
    case .commit: description
    case .time(let time): time.minuteText(in: zone)
    }
  }
}

extension Timestamp {
  private static let minuteMilliseconds: Int64 = 60_000
  private static let secondMilliseconds: Int64 = 1000

  /// Returns the local time in the form `2026-11-21 06:00`, with seconds and milliseconds only if they are not zero.
  func minuteText(in zone: TimeZoneRules) -> String { local(in: zone).minuteText }

  /// Returns the local time in the form `2026-11-21 06:00:00`, with milliseconds only if they are not zero.
  package func secondText(in zone: TimeZoneRules) -> String {
    let text = local(in: zone).description
    let time = milliseconds % Self.secondMilliseconds == 0 ? "06:00:00" : "06:00:00.000"
    return "\(text.prefix("2026-11-21".count)) \(text.dropFirst("2026-11-21T".count).prefix(time.count))"
  }

  /// Returns the time whose UTC digits are those of the clocks of a time zone.
  private func local(in zone: TimeZoneRules) -> Timestamp {
    Timestamp(milliseconds: milliseconds + zone.offsetMilliseconds(at: milliseconds))
  }

  private var minuteText: String {
    let date = description.prefix("2026-11-21".count)
    let time = description.dropFirst("2026-11-21T".count)
    if milliseconds % Self.minuteMilliseconds == 0 { return "\(date) \(time.prefix("06:00".count))" }
    if milliseconds % Self.secondMilliseconds == 0 { return "\(date) \(time.prefix("06:00:00".count))" }
    return "\(date) \(time.prefix("06:00:00.000".count))"
  }
}
