import FunnelHistories
import FunnelModel
import FunnelReports
import FunnelStore
import FunnelSystem

/// The states of closed days: `DIR/APP.FLOW.vVERSION/2026-11-20.state`, one for each flow version and day.
///
/// A day is closed when the window of the last group that could begin on it is over. Its state is what `funnel report` counts of that day at
/// that moment (`--since DAY --until DAY+1 --now DAY+1+window`), so it has the same bytes whenever it is made. The days of a month merge
/// into the month's report, and years of days into a trend, without the events:
///
///     funnel merge states/cleaner.permissions_flow.v1/2026-11-*.state trend
///
/// **What is the same, and what is not.** Who began counts on the day of the first anchor, so the days of a period add up to the report of the
/// period. What rules look at (`breaches`) ends with the closing of the day.
///
/// Each night counts the last closed days again, because events may come late, and writes the states that differ. Days whose events were
/// dropped keep their states.
struct DayStates {
  let folder: StoragePath
  let store: StoreReader
  let catalog: FlowCatalog
  let days: NightlyRunDays
  /// The number of closed days, ending with the last one, that each night counts again.
  let dayCount: Int
  let threads: Int

  /// Counts the last closed days of some flow versions, and writes what differs from the files there.
  ///
  /// - Throws: `inputOutput` if the log can't be read, `cannotCreate` or `inputOutput` if a file can't be written.
  func write(of flows: [FlowDefinition]) throws(FunnelError) {
    guard let first = firstDay else { return }
    // Flow versions of one window close on the same day, and are counted in one pass.
    for (window, flows) in Dictionary(grouping: flows, by: \.window).sorted(by: { $0.key < $1.key }) {
      let indices = flows.compactMap { catalog.index(app: $0.app, flow: $0.flow, version: $0.version) }.sorted()
      for day in closedDays(window: window, from: first) { try write(day, window: window, indices) }
    }
  }

  /// The first day of which all events are in the log.
  private var firstDay: CivilDate? {
    guard let first = store.parts(of: .log).map(\.name.day).min() else { return nil }
    guard let dropped = store.lastDroppedDay else { return first }
    return max(first, CivilDate(daysSinceEpoch: dropped.daysSinceEpoch + 1))
  }

  /// Returns the last closed days of flow versions with a window.
  private func closedDays(window: TimeSpan, from first: CivilDate) -> [CivilDate] {
    var closed: [CivilDate] = []
    var day = days.last
    while day >= first, closed.count < dayCount {
      if closing(of: day, window: window) <= days.now { closed.append(day) }
      day = CivilDate(daysSinceEpoch: day.daysSinceEpoch - 1)
    }
    return closed.reversed()
  }

  /// Returns the end of a day.
  private func end(of day: CivilDate) -> Timestamp {
    days.timeZone.midnight(of: CivilDate(daysSinceEpoch: day.daysSinceEpoch + 1))
  }

  /// Returns the moment at which nobody who began on a day is in progress any more.
  private func closing(of day: CivilDate, window: TimeSpan) -> Timestamp {
    Timestamp(milliseconds: end(of: day).milliseconds + window.milliseconds)
  }

  private func write(_ day: CivilDate, window: TimeSpan, _ indices: [Int]) throws(FunnelError) {
    var query = days.always
    (query.since, query.until) = (days.timeZone.midnight(of: day), end(of: day))
    query.now = closing(of: day, window: window)
    let selection = ReportSelection.all(answering: query)
    let (catalog, threads) = (self.catalog, self.threads)
    let prepared = selection.prepared(query, flows: indices.map { catalog.definitions[$0] })
    let counts = try StoreSequences.fold(store, catalog: catalog, query: prepared, flows: Set(indices), threads: threads) {
      (sequences) throws(FunnelError) in
      try FoldedCounts(
        of: sequences, catalog: catalog, flows: Set(indices), query: prepared, selection: selection, threads: threads)
    }.result
    for (place, index) in indices.enumerated() {
      let flow = catalog.definitions[index]
      // Of all definitions only its own: states of before and after another flow came belong together.
      let question = StateRequest(
        query, flows: [flow.reference], app: nil, catalog: try FlowCatalog(layers: [[catalog.files[index]]]),
        selection: selection)
      let state = ReportState(of: counts.flow(at: place), question: question, period: StatePeriod(of: query), input: nil)
      try write(state.bytes, to: "\(flow.app).\(flow.flow).v\(flow.version)", named: "\(day).state")
    }
  }

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
