package import FunnelStore
package import FunnelModel
internal import FunnelSystem

/// A filter for the events of the log. An event must match every criterion that is not `nil`.
package struct LogFilter: Sendable {
  /// The earliest time, inclusive.
  package var since: Timestamp?
  /// The latest time, exclusive.
  package var until: Timestamp?
  package var app: String?
  package var name: String?
  package var subject: String?
  /// The indices in the catalog of flow versions, one of which the event must belong to. With `nil`, events of
  /// no flow match too.
  package var flows: Set<Int>?

  /// Creates a filter that matches every event.
  package init() {}

  /// Whether a day may have matching events.
  func mayMatch(_ day: CivilDate) -> Bool {
    // The times in the header of a gzip member are not used, because no checksum covers them.
    if let since, day < since.day { return false }
    if let until, day.midnight >= until { return false }
    return true
  }

  /// Whether an event matches.
  ///
  /// - Parameter matcher: A matcher that was created for ``flows`` only.
  func matches(_ event: EventFields, matcher: inout FlowMatcher) -> Bool {
    matchesFields(of: event) && (flows == nil || matcher.resolve(event).isFolded)
  }

  /// Whether an event matches all criteria except ``flows``.
  func matchesFields(of event: EventFields) -> Bool {
    if let since, event.timestamp < since { return false }
    if let until, event.timestamp >= until { return false }
    if let app, !event.app.span.isEqual(to: app) { return false }
    if let name, !event.name.span.isEqual(to: name) { return false }
    if let subject, !event.subject.span.isEqual(to: subject) { return false }
    return true
  }
}

/// Reads the log as text.
package enum LogText {
  /// Passes the matching records to a closure in the order of the log: by day, then in the order in which they
  /// were appended.
  ///
  /// - Parameter write: Receives one or more whole lines.
  /// - Throws: `inputOutput` if a member is damaged; rethrows errors of `write`.
  package static func forEachChunk(
    of store: StoreReader, matching filter: LogFilter, catalog: FlowCatalog, threads: Int, _ write: ([UInt8]) throws -> Void
  ) throws {
    var members = try store.members().filter { filter.mayMatch($0.logFile.day) }[...]
    try OrderedPipeline.run(
      threads: threads,
      next: { members.popFirst() },
      makeWorker: { RecordFilter(filter: filter, catalog: catalog) },
      transform: { filter, member in try filter.wanted(of: store.read(member), in: member) },
      consume: { text in
        if !text.isEmpty { try write(text) }
      })
  }
}

/// Selects the matching records of gzip members. Not thread-safe: each worker owns one.
private struct RecordFilter {
  let filter: LogFilter
  private let reader = StoredEventReader()
  private var matcher: FlowMatcher

  init(filter: LogFilter, catalog: FlowCatalog) {
    self.filter = filter
    matcher = FlowMatcher(catalog: catalog, flows: filter.flows)
  }

  /// Returns the matching records of a decompressed member, each with its line break.
  mutating func wanted(of raw: [UInt8], in member: MemberReference) throws(FunnelError) -> [UInt8] {
    var result: [UInt8] = []
    try reader.forEach(in: raw, of: member) { event, line in
      guard filter.matches(event, matcher: &matcher) else { return }
      result.append(contentsOf: raw[line.text])
      result.append(Byte.lineFeed)
    }
    return result
  }
}
