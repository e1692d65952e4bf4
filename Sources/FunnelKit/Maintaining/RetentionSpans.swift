package import FunnelDecoding
import FunnelIngest
import FunnelMaintenance
package import FunnelModel

/// The retention periods, from the command line or from the flows.
package struct RetentionSpans {
  private let events: TimeSpan?
  private let snapshots: TimeSpan?
  private let apps: Set<String>
  private let names: [NamePattern]
  private let isExact: Bool

  /// Creates the periods that the flows define, in whole days.
  package init() {
    events = nil
    snapshots = nil
    apps = []
    names = []
    isExact = false
  }

  /// Parses the options.
  ///
  /// - Throws: `usage` if a value is not a time span, app or pattern, if a time span is shorter than a day, if
  ///   snapshots would not outlive the events they count, or if apps or names are given without `events`.
  package init(events: String?, snapshots: String?, apps: [String], names: [String], isExact: Bool) throws(FunnelError) {
    self.events = try events.map { (text) throws(FunnelError) in try Self.span(text, option: "--events") }
    self.snapshots = try snapshots.map { (text) throws(FunnelError) in try Self.span(text, option: "--snapshots") }
    if let events = self.events, let snapshots = self.snapshots, snapshots.milliseconds <= events.milliseconds {
      throw FunnelError(
        .usage,
        "--snapshots \(snapshots) is not longer than --events \(events): every snapshot would be dropped at once, give a longer time"
      )
    }
    var known: Set<String> = []
    for app in apps { if let name = try AppName.checked(app) { known.insert(name) } }
    self.apps = known
    self.names = try names.map { (text) throws(FunnelError) in try Self.pattern(text) }
    self.isExact = isExact
    guard self.events != nil || (apps.isEmpty && names.isEmpty) else {
      throw FunnelError(.usage, "\(apps.isEmpty ? "--name" : "--app") says which events to drop, not when, add --events 30d")
    }
  }

  /// Returns the boundary between data to drop and data to keep.
  ///
  /// - Throws: `usage` if neither the command line nor a flow defines a retention period.
  package func cut(at now: Timestamp, catalog: FlowCatalog) throws(FunnelError) -> RetentionCut {
    var cut = RetentionCut()
    cut.snapshots = snapshots.map { firstDay($0, at: now) }
    if let events {
      let reach = RetentionCut.Reach(from: start(events, at: now), apps: apps)
      cut.events = [RetentionCut.EventRule(reach, names: names)]
      // The event name of a rejected line is not known for certain.
      if names.isEmpty { cut.deadLetters = [reach] }
      return cut
    }
    let flows = catalog.definitions.enumerated().compactMap { index, flow in
      flow.retention.flatMap { retention in retention.events.map { (index, flow.app, $0, retention) } }
    }
    guard !flows.isEmpty || snapshots != nil else {
      throw FunnelError(
        .usage, "it is not known how long to keep events: give --events 30d, or \"retention\" in a flow's definition")
    }
    for (index, app, span, retention) in flows {
      let start = start(span, at: now)
      cut.eventsOfFlows[index] = start
      let names = retention.also.compactMap { NamePattern($0) }
      if !names.isEmpty { cut.events.append(.init(.init(from: start, apps: [app]), names: names)) }
    }
    // The flow of a rejected line is not known, so the line is kept for the longest period of its app's flows.
    for (app, ofApp) in Dictionary(grouping: flows, by: \.1).sorted(by: { $0.key < $1.key }) {
      guard let longest = ofApp.map(\.2).max() else { continue }
      cut.deadLetters.append(.init(from: start(longest, at: now), apps: [app]))
    }
    // A snapshot covers all flows, so it is kept for the longest of their periods.
    let spans = flows.map(\.3.snapshots)
    let longest = spans.contains(nil) ? nil : spans.compactMap(\.self).max()
    if snapshots == nil { cut.snapshots = longest.map { firstDay($0, at: now) } }
    return cut
  }

  /// Returns the earliest time to keep.
  private func start(_ span: TimeSpan, at now: Timestamp) -> Timestamp {
    isExact ? Timestamp(milliseconds: now.milliseconds - span.milliseconds) : firstDay(span, at: now).midnight
  }

  /// Returns the earliest UTC day to keep.
  private func firstDay(_ span: TimeSpan, at now: Timestamp) -> CivilDate {
    Timestamp(milliseconds: now.milliseconds - span.milliseconds).day
  }

  private static func span(_ text: String, option: String) throws(FunnelError) -> TimeSpan {
    // Dropped data cannot be restored, so hours, which are easily typed by mistake, are not accepted.
    guard let span = TimeSpan(text), text.hasSuffix("d") || text.hasSuffix("w"), span.milliseconds > 0 else {
      throw FunnelError(
        .usage,
        "not a number of days, \(option) \(text.printable), write it as 30d or 12w, at least 1d and at most \(TimeSpan.longest)"
      )
    }
    return span
  }

  private static func pattern(_ text: String) throws(FunnelError) -> NamePattern {
    guard let pattern = NamePattern(text) else {
      throw FunnelError(
        .usage,
        "not a pattern of event names, --name \(text.printable), write lower-case letters, digits, underscores, and * for any of them"
      )
    }
    return pattern
  }
}
