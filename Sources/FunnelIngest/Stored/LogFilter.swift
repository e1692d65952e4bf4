public import FunnelStore
public import FunnelModel
internal import FunnelSystem

/// Which events of the log are wanted: those that meet everything that is set.
public struct LogFilter: Sendable {
  public var since: Timestamp?
  public var until: Timestamp?
  public var app: String?
  public var name: String?
  public var subject: String?
  /// Indices in the catalog of the flow versions wanted; nil: any, also none.
  public var flows: Set<Int>?

  public init() {}

  /// Whether there may be a wanted event on a day. The times in a member's header are not asked: no checksum covers them.
  func mayMatch(_ day: CivilDate) -> Bool {
    if let since, day < since.day { return false }
    if let until, day.midnight >= until { return false }
    return true
  }

  /// Whether an event is wanted.
  ///
  /// - Parameter resolver: A resolver of ``flows`` alone.
  func matches(_ event: EventFields, resolver: inout FlowResolver) -> Bool {
    matchesFields(of: event) && (flows == nil || resolver.resolve(event).isFolded)
  }

  /// Whether an event is wanted, whatever flow it belongs to.
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
  /// Hands out the wanted records, whole lines, in the order of the log: by day, then as they were appended.
  ///
  /// - Throws: `inputOutput` where a member is damaged, and what `write` throws.
  public static func forEachChunk(
    of store: StoreReader, matching filter: LogFilter, catalog: FlowCatalog, threads: Int, _ write: ([UInt8]) throws -> Void
  ) throws {
    var members = try store.members().filter { filter.mayMatch($0.part.day) }[...]
    try OrderedPipeline.run(
      threads: threads,
      next: { members.popFirst() },
      makeWorker: { RecordSieve(filter: filter, catalog: catalog) },
      transform: { sieve, member in Result { () throws(FunnelError) in try sieve.wanted(of: store.read(member), in: member) } },
      consume: { result in
        let text = try result.get()
        if !text.isEmpty { try write(text) }
      })
  }
}

/// Picks the wanted records of a member; what one thread needs for it.
private struct RecordSieve {
  let filter: LogFilter
  var decoder = EventDecoder(
    options: DecodingOptions(now: Timestamp(milliseconds: 0), privacy: PrivacyRules(keys: [], valueKinds: []), isTrusted: true))
  var resolver: FlowResolver
  let event = EventBox()

  init(filter: LogFilter, catalog: FlowCatalog) {
    self.filter = filter
    resolver = FlowResolver(catalog: catalog, flows: filter.flows)
  }

  mutating func wanted(of raw: [UInt8], in member: MemberReference) throws(FunnelError) -> [UInt8] {
    var result: [UInt8] = []
    let block = LineBlock(place: .init(file: "\(member.part)", line: 1, byteOffset: 0), content: .lines, bytes: raw)
    var rest = 0..<raw.count
    while !rest.isEmpty {
      let line = rest.lowerBound..<(raw[rest].firstIndex(of: UInt8(ascii: "\n")) ?? rest.upperBound)
      rest = min(line.upperBound + 1, rest.upperBound)..<rest.upperBound
      let isWanted = block.withBytes { bytes in
        Result { () throws(Reject) in
          try decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[line]), into: &event.fields.pointee)
          return filter.matches(event.fields.pointee, resolver: &resolver)
        }
      }
      switch isWanted {
      case .success(true):
        result.append(contentsOf: raw[line])
        result.append(UInt8(ascii: "\n"))
      case .success(false): break
      case .failure(let reject):
        throw FunnelError(.inputOutput, "a record of the log can't be read, \(member.part), \(reject.message.printable)")
      }
    }
    return result
  }
}
