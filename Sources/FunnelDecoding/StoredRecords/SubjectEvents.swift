package import FunnelModel
package import FunnelStore
import FunnelSystem

/// One event of a subject, with its flow matches.
package struct SubjectEvent: Hashable, Sendable {
  package var timestamp: Timestamp
  /// The `seq` of the event, or 0 if it has none.
  package var sequence: Int64
  package var id: String
  package var name: String
  package var app: String
  package var subject: String
  /// The account that was signed in, or `nil` if the event has none.
  package var user: String?
  /// The flow that the event names, or `nil` if it names none.
  package var flow: String?
  /// The flow version that the event names, or `nil` if it names none.
  package var flowVersion: Int?
  package var step: String?
  package var attempt: String?
  /// The properties, sorted by the bytes of their keys.
  package var props: [Member]
  /// Whether a flow version declares the event, or no flow needs to (``UserLinkEvent``).
  package var isDeclared: Bool
  /// The event's class in each flow version that it belongs to, with details.
  package var flowMatches: [EventClassTable.Entry]
  /// The canonical record.
  var record: ArraySlice<UInt8>

  /// The user to which the event links its subject, or `nil` if it has no user or its subject is a placeholder
  /// (``EventFields/linkingUser``).
  package var linkingUser: String? { PlaceholderIDs.contains(subject) ? nil : user }

  /// A property.
  package struct Member: Hashable, Sendable {
    package var key: String
    package var value: PropertyValue
  }
}

/// Reads all events of some subjects, including those that belong to no flow.
package enum SubjectEvents {
  /// Returns the events of subjects in a store, in order (specification section 3).
  ///
  /// - Parameters:
  ///   - now: The time of the last event to return.
  ///   - mayHold: Returns `false` for days that are known to have no event of the subjects. Those days are not read.
  /// - Throws: `inputOutput` if a member is damaged.
  package static func ofStore(
    _ store: StoreReader, subjects: [String], until now: Timestamp, catalog: FlowCatalog, threads: Int,
    where mayHold: @escaping (CivilDate) -> Bool = { _ in true }
  ) throws -> [SubjectEvent] {
    let subjects = SubjectSet(subjects)
    var collector = Collector(now: now, catalog: catalog)
    var members = try store.members().filter { $0.logFile.day.midnight <= now && mayHold($0.logFile.day) }[...]
    try OrderedPipeline.run(
      threads: threads, next: { members.popFirst() }, makeWorker: { () },
      transform: { _, member in (member, Self.records(of: subjects, in: try store.read(member))) },
      consume: { member, records in try collector.add(records, place: "\(member.logFile)") })
    return collector.sorted()
  }

  /// Returns the records of subjects among others, each with its line break.
  package static func records(of subjects: SubjectSet, in raw: [UInt8]) -> [UInt8] {
    var found: [UInt8] = []
    let bytes = raw.span
    for line in RecordLines(of: raw) {
      let text = bytes.extracting(line.text)
      guard let head = StoredLine(text), head.withSubject(of: text, { subjects.subject($0) }) != nil else { continue }
      found.append(contentsOf: raw[line.text])
      found.append(Byte.lineFeed)
    }
    return found
  }

  /// Decodes records and removes duplicates.
  ///
  /// As in an ingest, events with the same app, subject, name and ID are duplicates. The one with the earliest time
  /// remains, or the one whose record is first in lexicographic order if the times are equal.
  package struct Collector {
    private struct Identity: Hashable {
      let app: String
      let subject: String
      let name: String
      let id: String
    }

    private let now: Timestamp
    private let catalog: FlowCatalog
    private var matcher: FlowMatcher
    private let decoder = EventDecoder(options: StoredEvents.options)
    private let storage = EventStorage()
    private var events: [Identity: SubjectEvent] = [:]

    /// Creates a collector of the events up to `now`.
    package init(now: Timestamp, catalog: FlowCatalog) {
      self.now = now
      self.catalog = catalog
      matcher = FlowMatcher(catalog: catalog, details: true)
    }

    /// Adds records, each with its line break.
    package mutating func add(_ records: [UInt8], place: String) throws(FunnelError) {
      var decoder = decoder
      for line in RecordLines(of: records) {
        // The decoder reads beyond the end of a line, so each line is copied to a block, which has padding.
        let text = Array(records[line.text])
        let block = LineBlock(place: .init(file: place, line: 1, byteOffset: 0), content: .lines, bytes: text + [Byte.lineFeed])
        do throws(Rejection) {
          try block.withBytes { (bytes) throws(Rejection) in
            try decoder.decode(BorrowedText(bytes).part(0..<text.count), into: &storage.fields.pointee)
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
      let resolution = matcher.resolve(fields)
      let event = SubjectEvent(
        timestamp: fields.timestamp, sequence: fields.sequence ?? 0, id: fields.id?.text ?? "", name: fields.name.text,
        app: fields.app.text, subject: fields.subject.text, user: fields.user?.text, flow: fields.flow?.text,
        flowVersion: fields.flowVersion.map { Int($0) },
        step: fields.step?.text,
        attempt: fields.attempt?.text,
        props: fields.props.map { .init(key: $0.key.text, value: $0.value.propertyValue) },
        isDeclared: resolution.isDeclared, flowMatches: matcher.flowMatches(of: resolution).map(\.entry),
        record: record)
      let identity = Identity(app: event.app, subject: event.subject, name: event.name, id: event.id)
      if let known = events[identity], Self.precedes(known, event) { return }
      events[identity] = event
    }

    /// Whether the first of two duplicates remains.
    private static func precedes(_ a: SubjectEvent, _ b: SubjectEvent) -> Bool {
      a.timestamp != b.timestamp ? a.timestamp < b.timestamp : a.record.lexicographicallyPrecedes(b.record)
    }

    /// Returns the events in the order of specification section 3. The rank of an event is the lowest one among
    /// its flow versions.
    package func sorted() -> [SubjectEvent] {
      events.values.sorted { a, b in
        if a.timestamp != b.timestamp { return a.timestamp < b.timestamp }
        if a.sequence != b.sequence { return a.sequence < b.sequence }
        let rankA = rank(of: a)
        let rankB = rank(of: b)
        if rankA != rankB { return rankA < rankB }
        if a.id != b.id { return a.id.utf8.lexicographicallyPrecedes(b.id.utf8) }
        if a.name != b.name { return a.name.utf8.lexicographicallyPrecedes(b.name.utf8) }
        return a.subject.utf8.lexicographicallyPrecedes(b.subject.utf8)
      }
    }

    /// Returns the rank of an event among simultaneous ones: its lowest rank in any flow version. Events of no
    /// flow are last.
    private func rank(of event: SubjectEvent) -> Int {
      event.flowMatches.map { $0.kind.tieRank(stepCount: catalog.definitions[Int($0.flow)].steps.count) }.min() ?? .max
    }
  }
}
