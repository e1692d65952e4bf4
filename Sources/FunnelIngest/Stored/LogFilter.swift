public import FunnelStore
public import FunnelModel
internal import FunnelSystem

/// A filter for the events of the log: an event must match every criterion that is set.
public struct LogFilter: Sendable {
  public var since: Timestamp?
  public var until: Timestamp?
  public var app: String?
  public var name: String?
  public var subject: String?
  /// The indices in the catalog of the flow versions wanted; nil for all events, including those of no flow.
  public var flows: Set<Int>?

  public init() {}

  /// Returns whether a day may have matching events. The times in a member's header are not used, because no checksum covers them.
  func mayMatch(_ day: CivilDate) -> Bool {
    if let since, day < since.day { return false }
    if let until, day.midnight >= until { return false }
    return true
  }

  /// Returns whether an event matches.
  ///
  /// - Parameter resolver: A resolver of ``flows`` alone.
  func matches(_ event: EventFields, resolver: inout FlowResolver) -> Bool {
    matchesFields(of: event) && (flows == nil || resolver.resolve(event).isFolded)
  }

  /// Returns whether an event matches, whatever flow it belongs to.
  func matchesFields(of event: EventFields) -> Bool {
    if let since, event.timestamp < since { return false }
    if let until, event.timestamp >= until { return false }
    if let app, !event.app.elementsEqual(app.utf8) { return false }
    if let name, !event.name.elementsEqual(name.utf8) { return false }
    if let subject, !event.subject.elementsEqual(subject.utf8) { return false }
    return true
  }
}

/// Reads the log as text.
public enum LogText {
  /// Passes the matching records to a closure, as whole lines, in the order of the log: by day, then in the order they were appended.
  ///
  /// - Throws: `inputOutput` if a member is damaged; rethrows errors of `write`.
  public static func forEachChunk(
    of store: StoreReader, matching filter: LogFilter, catalog: FlowCatalog, threads: Int, _ write: ([UInt8]) throws -> Void
  ) throws {
    var members = try store.members().filter { filter.mayMatch($0.part.day) }[...]
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

/// Selects the matching records of a member; each thread has its own sieve.
private struct RecordFilter {
  let filter: LogFilter
  private let reader = StoredEventReader()
  private var resolver: FlowResolver

  init(filter: LogFilter, catalog: FlowCatalog) {
    self.filter = filter
    resolver = FlowResolver(catalog: catalog, flows: filter.flows)
  }

  mutating func wanted(of raw: [UInt8], in member: MemberReference) throws(FunnelError) -> [UInt8] {
    var result: [UInt8] = []
    try reader.forEach(in: raw, of: member) { event, line in
      guard filter.matches(event, resolver: &resolver) else { return }
      result.append(contentsOf: raw[line.text])
      result.append(Byte.lineFeed)
    }
    return result
  }
}
