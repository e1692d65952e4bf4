import FunnelIngest
import FunnelModel

/// How long things stay: as the command line says, or as the flows do.
struct RetentionSpans {
  private let events: TimeSpan?
  private let snapshots: TimeSpan?

  /// Reads the options.
  ///
  /// - Throws: `usage` where one is no span, shorter than a day, or snapshots would go before the events they are of.
  init(events: String?, snapshots: String?) throws(FunnelError) {
    self.events = try events.map { (text) throws(FunnelError) in try Self.span(text, option: "--events") }
    self.snapshots = try snapshots.map { (text) throws(FunnelError) in try Self.span(text, option: "--snapshots") }
    if let events = self.events, let snapshots = self.snapshots, snapshots.milliseconds <= events.milliseconds {
      throw FunnelError(
        .usage, "--snapshots \(snapshots) is no longer than --events \(events): none would ever be kept, give it a longer span")
    }
  }

  /// The first days that stay.
  ///
  /// - Throws: `usage` where neither the command line nor a flow says how long events stay.
  func cut(at now: Timestamp, catalog: FlowCatalog) throws(FunnelError) -> Retention.Cut {
    func firstDay(_ span: TimeSpan) -> CivilDate { Timestamp(milliseconds: now.milliseconds - span.milliseconds).day }
    var cut = Retention.Cut()
    if let events {
      (cut.events, cut.deadLetters, cut.snapshots) = (firstDay(events), firstDay(events), snapshots.map(firstDay))
      return cut
    }
    let retentions = catalog.definitions.enumerated().compactMap { index, flow in flow.retention.map { (index, $0) } }
    for (index, retention) in retentions { cut.eventsOfFlows[index] = retention.events.map(firstDay) }
    guard !cut.eventsOfFlows.isEmpty || snapshots != nil else {
      throw FunnelError(
        .usage, "nothing says how long events stay: give --events 30d, or \"retention\" in a flow's definition")
    }
    // A line of snapshots is of all flows, so it stays as long as the one that wants it longest.
    let spans = retentions.filter { $0.1.events != nil }.map(\.1.snapshots)
    let longest = spans.contains(nil) ? nil : spans.compactMap(\.self).max { $0.milliseconds < $1.milliseconds }
    cut.snapshots = (snapshots ?? longest).map(firstDay)
    return cut
  }

  private static func span(_ text: String, option: String) throws(FunnelError) -> TimeSpan {
    // What goes does not come back: hours, which are only a slip of a finger away, are no way to say how long.
    guard let span = TimeSpan(text), text.hasSuffix("d") || text.hasSuffix("w"), span.milliseconds > 0 else {
      throw FunnelError(
        .usage,
        "not a span of days, \(option) \(text.printable), write it as 30d or 12w, at least 1d and at most \(TimeSpan.longest)")
    }
    return span
  }
}
