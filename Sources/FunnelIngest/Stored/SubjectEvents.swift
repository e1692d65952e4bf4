public import FunnelModel
public import FunnelStore
import FunnelSystem

/// One event of a subject, with its flow matches.
public struct SubjectEvent: Hashable, Sendable {
  public var timestamp: Timestamp
  /// The `seq` of the event, or 0 if it has none.
  public var sequence: Int64
  public var id: String
  public var name: String
  public var app: String
  /// The flow that the event names, or `nil` if it names none.
  public var flow: String?
  /// The flow version that the event names, or `nil` if it names none.
  public var flowVersion: Int?
  public var step: String?
  public var attempt: String?
  /// The properties, sorted by the bytes of their keys.
  public var props: [Member]
  /// Whether a flow version declares the event.
  public var isDeclared: Bool
  /// The event's class in each flow version that it belongs to, with details.
  public var claims: [EventClassTable.Entry]
  /// The canonical record.
  var record: ArraySlice<UInt8>

  /// A property.
  public struct Member: Hashable, Sendable {
    public var key: String
    public var value: PropertyValue
  }
}

/// Reads all events of one subject, including those that belong to no flow.
public enum SubjectEvents {
  /// Returns the events of a subject in a store, in order (specification section 3).
  ///
  /// - Parameters:
  ///   - now: The time of the last event to return.
  ///   - mayHold: Returns `false` for days that are known to have no event of the subject. Those days are not read.
  /// - Throws: `inputOutput` if a member is damaged.
  public static func ofStore(
    _ store: StoreReader, subject: String, until now: Timestamp, catalog: FlowCatalog, threads: Int,
    where mayHold: @escaping (CivilDate) -> Bool = { _ in true }
  ) throws -> [SubjectEvent] {
    var collector = Collector(subject: subject, now: now, catalog: catalog)
    var members = try store.members().filter { $0.part.day.midnight <= now && mayHold($0.part.day) }[...]
    try OrderedPipeline.run(
      threads: threads, next: { members.popFirst() }, makeWorker: { () },
      transform: { _, member in (member, Self.records(of: subject, in: try store.read(member))) },
      consume: { member, records in try collector.add(records, place: "\(member.part)") })
    return collector.sorted()
  }

  /// Returns the events of a subject in input files, in order, and the number of rejected lines. The events are
  /// validated and deduplicated as in an ingest.
  ///
  /// - Throws: `noInput` or `inputOutput` if a file can't be read.
  public static func ofFiles(
    _ files: [InputFile], subject: String, options: DecodingOptions, catalog: FlowCatalog, threads: Int
  ) throws -> (events: [SubjectEvent], refused: Int) {
    var collector = Collector(subject: subject, now: options.now, catalog: catalog)
    var refused = 0
    try InputReader.forEachDecodedBlock(
      of: files, catalog: catalog, options: options, threads: threads, wanting: DecodingWants(identities: false)
    ) { block, _ in
      refused += block.deadLetters.count
      try collector.add(Self.records(of: subject, in: block.records), place: block.file)
    }
    return (collector.sorted(), refused)
  }

  /// Returns the records of a subject among others, each with its line break.
  private static func records(of subject: String, in raw: [UInt8]) -> [UInt8] {
    var found: [UInt8] = []
    raw.withUnsafeBytes { bytes in
      for line in RecordLines(of: raw) {
        let text = UnsafeRawBufferPointer(rebasing: bytes[line.text])
        guard let head = StoredLine(text) else { continue }
        let name = UnsafeRawBufferPointer(rebasing: text[head.subject])
        let isSame =
          head.hasEscapes
          ? JSONEscapes.removed(from: name).elementsEqual(subject.utf8) : name.elementsEqual(subject.utf8)
        guard isSame else { continue }
        found.append(contentsOf: text)
        found.append(Byte.lineFeed)
      }
    }
    return found
  }

  /// Decodes records and removes duplicates.
  ///
  /// As in an ingest, events with the same app, name and ID are duplicates. The one with the earliest time
  /// remains, or the one whose record is first in lexicographic order if the times are equal.
  private struct Collector {
    private struct Identity: Hashable {
      let app: String
      let name: String
      let id: String
    }

    private let subject: String
    private let now: Timestamp
    private let catalog: FlowCatalog
    private var resolver: FlowResolver
    private let decoder = EventDecoder(options: StoredEvents.options)
    private let storage = EventStorage()
    private var events: [Identity: SubjectEvent] = [:]

    init(subject: String, now: Timestamp, catalog: FlowCatalog) {
      self.subject = subject
      self.now = now
      self.catalog = catalog
      resolver = FlowResolver(catalog: catalog, details: true)
    }

    /// Adds records, each with its line break.
    mutating func add(_ records: [UInt8], place: String) throws(FunnelError) {
      var decoder = decoder
      for line in RecordLines(of: records) {
        // The decoder reads beyond the end of a line, so each line is copied to a block, which has padding.
        let text = Array(records[line.text])
        let block = LineBlock(place: .init(file: place, line: 1, byteOffset: 0), content: .lines, bytes: text + [Byte.lineFeed])
        do throws(Rejection) {
          try block.withBytes { (bytes) throws(Rejection) in
            try decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[..<text.count]), into: &storage.fields.pointee)
            add(storage.fields.pointee, record: text[...])
          }
        } catch {
          throw FunnelError(.inputOutput, "a record can't be read, \(place), \(error.message.printable)")
        }
      }
    }

    /// Adds an event, unless it is in the future or a duplicate.
    private mutating func add(_ fields: EventFields, record: ArraySlice<UInt8>) {
      guard fields.timestamp <= now else { return }
      let resolution = resolver.resolve(fields)
      let event = SubjectEvent(
        timestamp: fields.timestamp, sequence: fields.sequence ?? 0, id: fields.id?.text ?? "", name: fields.name.text,
        app: fields.app.text, flow: fields.flow?.text, flowVersion: fields.flowVersion.map { Int($0) }, step: fields.step?.text,
        attempt: fields.attempt?.text,
        props: fields.props.map { .init(key: $0.key.text, value: $0.value.propertyValue) },
        isDeclared: resolution.isClaimed, claims: resolver.meanings[Int(resolution.meaning)].map(\.entry), record: record)
      let identity = Identity(app: event.app, name: event.name, id: event.id)
      if let known = events[identity], Self.precedes(known, event) { return }
      events[identity] = event
    }

    /// Whether the first of two duplicates remains.
    private static func precedes(_ a: SubjectEvent, _ b: SubjectEvent) -> Bool {
      a.timestamp != b.timestamp ? a.timestamp < b.timestamp : a.record.lexicographicallyPrecedes(b.record)
    }

    /// Returns the events in the order of specification section 3. The rank of an event is the lowest one among
    /// its flow versions.
    func sorted() -> [SubjectEvent] {
      events.values.sorted { a, b in
        if a.timestamp != b.timestamp { return a.timestamp < b.timestamp }
        if a.sequence != b.sequence { return a.sequence < b.sequence }
        let rankA = rank(of: a)
        let rankB = rank(of: b)
        if rankA != rankB { return rankA < rankB }
        if a.id != b.id { return a.id.utf8.lexicographicallyPrecedes(b.id.utf8) }
        return a.name.utf8.lexicographicallyPrecedes(b.name.utf8)
      }
    }

    /// Returns the rank of an event among simultaneous ones: its lowest rank in any flow version. Events of no
    /// flow are last.
    private func rank(of event: SubjectEvent) -> Int {
      event.claims.map { $0.kind.tieRank(stepCount: catalog.definitions[Int($0.flow)].steps.count) }.min() ?? .max
    }
  }
}
