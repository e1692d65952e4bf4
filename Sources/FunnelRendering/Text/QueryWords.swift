import FunnelModel

/// The options of a query in words, which renderers print above a report in an order of their own. Options with
/// their default value have no words.
struct QueryWords<Rule: EscapeRule> {
  typealias Words = Escaped<Rule>

  /// The beginning and the end of the period.
  let period: [Words]
  /// The time zone, and the past state of the log.
  let clock: [Words]
  /// Whether only closed windows count.
  let closed: [Words]
  /// The order of the steps, the start, and the unit of counting.
  let counting: [Words]

  init(_ query: ReportQuery) {
    period = [
      query.since.map { "since \($0.minuteText)" }, query.until.map { "until \($0.minuteText)" },
    ].compactMap { $0 }
    clock = [
      query.timeZone == .utc ? nil : "days and hours of \(query.timeZone.name)",
      query.asOf.map { "log as it stood at \($0.description)" },
    ].compactMap { $0 }
    closed = query.isMature ? ["closed windows only"] : []
    counting = [
      query.order == .ordered ? nil : "order \(query.order.rawValue)",
      query.anchor == .best ? "best start in the period" : nil,
      query.countBy.map { "counted by \($0.rawValue)" },
    ].compactMap { $0 }
  }
}

extension Timestamp {
  private static let minuteMilliseconds: Int64 = 60_000
  private static let secondMilliseconds: Int64 = 1000

  /// The time in the form `2026-11-21 06:00`, with seconds and milliseconds only if they are not zero.
  var minuteText: String {
    let date = description.prefix("2026-11-21".count)
    let time = description.dropFirst("2026-11-21T".count)
    if milliseconds % Self.minuteMilliseconds == 0 { return "\(date) \(time.prefix("06:00".count))" }
    if milliseconds % Self.secondMilliseconds == 0 { return "\(date) \(time.prefix("06:00:00".count))" }
    return "\(date) \(time.prefix("06:00:00.000".count))"
  }
}
