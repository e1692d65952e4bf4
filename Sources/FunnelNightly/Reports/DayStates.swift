import FunnelKit
import FunnelModel
import FunnelReports
import FunnelStore
import FunnelSystem

/// Writes the state files of closed days for `funnel nightly --states`.
///
/// There is one file for each flow version and day: `DIR/APP.FLOW.vVERSION/2026-11-20.state`. A day is closed
/// when the conversion window has ended for every group that began on it. Its state contains what `funnel
/// report` counts for the day at that moment (`--since DAY --until DAY+1 --now DAY+1+window`), so its bytes do
/// not depend on when it is made. The states of a month merge into the month's report, without the events:
///
///     funnel merge states/cleaner.permissions_flow.v1/2026-11-*.state trend
///
/// A group counts on the day of its first anchor, so the days of a period add up to the report of the period.
/// The exception is `breaches`, which considers only events up to the closing of the day.
///
/// Each nightly run recomputes the last closed days, because events may arrive late, and writes the states that
/// differ. Days whose events were dropped keep their states.
struct DayStates {
  let folder: StoragePath
  let store: StoreReader
  let catalog: FlowCatalog
  let days: NightlyRunDays
  /// The number of closed days, ending with the last one, that each nightly run recomputes.
  let dayCount: Int
  let threads: Int

  /// Computes the states of the last closed days of some flow versions, and writes those that differ from the
  /// existing files.
  ///
  /// - Throws: `inputOutput` if the log cannot be read, `cannotCreate` or `inputOutput` if a file cannot be written.
  func write(of flows: [FlowDefinition]) throws(FunnelError) {
    guard let first = firstDay else { return }
    // Flow versions with the same window close on the same day, and are aggregated in one pass.
    for (window, flows) in Dictionary(grouping: flows, by: \.window).sorted(by: { $0.key < $1.key }) {
      let indices = flows.compactMap { catalog.index(app: $0.app, flow: $0.flow, version: $0.version) }.sorted()
      for day in closedDays(window: window, from: first) { try write(day, window: window, indices) }
    }
  }

  /// The first day whose events are all in the log, or `nil` if the log is empty.
  private var firstDay: CivilDate? {
    guard let first = store.logFiles(of: .log).map(\.name.day).min() else { return nil }
    guard let dropped = store.lastDroppedDay else { return first }
    return max(first, CivilDate(daysSinceEpoch: dropped.daysSinceEpoch + 1))
  }

  /// Returns the last closed days for a window, in ascending order.
  private func closedDays(window: TimeSpan, from first: CivilDate) -> [CivilDate] {
    var closed: [CivilDate] = []
    var day = days.last
    while day >= first, closed.count < dayCount {
      if closing(of: day, window: window) <= days.now { closed.append(day) }
      day = CivilDate(daysSinceEpoch: day.daysSinceEpoch - 1)
    }
    return closed.reversed()
  }

  /// Returns the midnight at the end of a day.
  private func end(of day: CivilDate) -> Timestamp {
    days.timeZone.midnight(of: CivilDate(daysSinceEpoch: day.daysSinceEpoch + 1))
  }

  /// Returns the moment at which the window has ended for every group that began on a day.
  private func closing(of day: CivilDate, window: TimeSpan) -> Timestamp {
    Timestamp(milliseconds: end(of: day).milliseconds + window.milliseconds)
  }

  /// Computes the states of one day for the flow versions at some indices of the catalog, and writes them.
  private func write(_ day: CivilDate, window: TimeSpan, _ indices: [Int]) throws(FunnelError) {
    var query = days.always
    query.since = days.timeZone.midnight(of: day)
    query.until = end(of: day)
    query.now = closing(of: day, window: window)
    let selection = ReportSelection.all(answering: query)
    let prepared = selection.prepared(query, flows: indices.map { catalog.definitions[$0] })
    let counts = try StorePass.run(over: store, catalog: catalog, flows: Set(indices), query: prepared, threads: threads) {
      (events) throws(FunnelError) in
      try events.counts(prepared, selection)
    }.result
    for (position, index) in indices.enumerated() {
      let flow = catalog.definitions[index]
      // The state contains only its own definition. States then still merge after another flow is added to the catalog.
      let request = StateRequest(
        query, flows: [flow.reference], app: nil, catalog: try FlowCatalog(layers: [[catalog.files[index]]]),
        selection: selection)
      let state = ReportState(of: counts.flow(at: position), request: request, period: StatePeriod(of: query), input: nil)
      try write(state.bytes, to: "\(flow.app).\(flow.flow).v\(flow.version)", named: "\(day).state")
    }
  }

  /// Writes a file unless it already has the same bytes.
  private func write(_ bytes: [UInt8], to directory: String, named name: String) throws(FunnelError) {
    let disk = LocalFileSystem()
    let path = folder.inside(directory).inside(name)
    if let known = try disk.status(of: path), known.size == bytes.count,
      try disk.readAll(path, bytesMax: bytes.count) == bytes
    {
      return
    }
    try disk.createSharedDirectories(folder.inside(directory))
    try AtomicFile.write(path, bytes, permissions: .owner)
  }
}
