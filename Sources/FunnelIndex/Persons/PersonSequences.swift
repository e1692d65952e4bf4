internal import FunnelDecoding
package import FunnelModel
import FunnelSystem

/// The event sequences of persons with several subjects, and of subjects with several persons, from the gathered events of
/// a source.
///
/// A sequence has the events of one person in one app, of flows that count persons or entries. The events of flows that count
/// subjects or attempts stay together by subject. Thread-safe.
package final class PersonSequences: Sendable {
  /// The columns of the sequences, and the limits of the report that reads them.
  package struct Request: Sendable {
    /// The time of the report, in milliseconds since the epoch.
    package var now: Int64
    /// The period of a report: a person whose events are all before it, or all after it, is skipped.
    package var since: Int64
    package var until: Int64
    /// Whether each flow version of the catalog counts persons, or entries of persons.
    package var countsPersons: [Bool]
    /// The largest number of subjects of a user that is merged.
    package var subjectsMax: Int
    package var hasAttempts: Bool
    package var hasRows: Bool
    package var hasMeasurements: Bool
    package var hasNames: Bool

    /// Creates a request.
    package init(
      _ query: ReportQuery, catalog: FlowCatalog, hasAttempts: Bool, hasRows: Bool, hasMeasurements: Bool
    ) {
      now = query.now.milliseconds
      since = query.since?.milliseconds ?? .min
      until = query.until?.milliseconds ?? .max
      countsPersons = catalog.definitions.map { query.unit(of: $0).isOfPersons }
      subjectsMax = query.subjectsOfPersonMax
      self.hasAttempts = hasAttempts
      self.hasRows = hasRows
      self.hasMeasurements = hasMeasurements
      hasNames = query.allNeeds.subjects
    }
  }

  /// The number of partitions into which the sequences are divided.
  package static let partitionCount = 64

  private let request: Request
  private let partitions: [GatheredSubjects]
  /// The flow of each event class ID, and its rank among events with the same time.
  private let classes: [(flow: Int, rank: Int)]
  private let threads: Int
  /// The persons as of each moment that was asked for.
  private let resolutions = Guarded<[Int64: PersonResolution]>([:])

  /// Regroups gathered events.
  ///
  /// - Parameters:
  ///   - partitions: The gathered subjects, each in one partition.
  ///   - classes: The event classes of the source, by ID.
  ///   - stepCounts: The number of steps of each flow version of the catalog.
  package init(
    _ partitions: [GatheredSubjects], classes: [EventClassTable.Entry], stepCounts: [Int], request: Request, threads: Int
  ) throws(FunnelError) {
    self.request = request
    self.partitions = partitions
    self.threads = threads
    self.classes = classes.map { (Int($0.flow), $0.kind.tieRank(stepCount: stepCounts[Int($0.flow)])) }
    _ = try resolution(upTo: request.now)
  }

  /// The users that were not merged, as of the time of the report.
  package var crowded: [CrowdedUser] {
    resolutions.withLock { $0[request.now] }?.crowded ?? []
  }

  /// Returns the persons as of a moment.
  private func resolution(upTo moment: Int64) throws(FunnelError) -> PersonResolution {
    if let known = resolutions.withLock({ $0[moment] }) { return known }
    let found = try PersonResolution(
      partitions, upTo: moment, subjectsMax: request.subjectsMax, threads: moment == request.now ? threads : 1)
    resolutions.withLock { $0[moment] = found }
    return found
  }

  /// Passes each event sequence of one partition to `body` once.
  ///
  /// - Parameter moment: The time of the latest event that counts, in milliseconds since the epoch.
  package func forEachSequence(
    inPartition number: Int, upTo moment: Int64, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    let resolution = try resolution(upTo: min(moment, request.now))
    var writer = GatheredWriter(partitions, classes: classes, request: request)
    let personCount = resolution.personStarts.count - 1
    for person in Self.share(number, of: personCount) {
      let pieces = resolution.pieces[resolution.personStarts[person]..<resolution.personStarts[person + 1]]
      for piece in pieces {
        for event in resolution.order[piece.partition][piece.events] {
          writer.append(Int(event), ofSubject: piece.subject, inPartition: piece.partition) { request.countsPersons[$0] }
        }
      }
      try writer.finish(names: { () throws(FunnelError) in try names(of: pieces) }, body)
    }
    guard request.countsPersons.contains(false) else { return }
    for (partition, gathered) in partitions.enumerated() {
      for index in Self.share(number, of: gathered.subjects.count) {
        let subject = gathered.subjects[index]
        for event in subject.events where gathered.events[event].milliseconds <= moment {
          writer.append(event, ofSubject: index, inPartition: partition) { !request.countsPersons[$0] }
        }
        try writer.finish(
          names: { () throws(FunnelError) in
            let name = try gathered.name(ofSubject: index)
            return GatheredNames.Texts(counted: name, all: [name])
          }, body)
      }
    }
  }

  /// Returns the indices of a partition among `count` ones.
  private static func share(_ number: Int, of count: Int) -> Range<Int> {
    number * count / partitionCount..<(number + 1) * count / partitionCount
  }

  /// Returns the texts of a person.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  private func names(of pieces: ArraySlice<PersonResolution.Piece>) throws(FunnelError) -> GatheredNames.Texts {
    precondition(!pieces.isEmpty, "a person has events")
    var texts = GatheredNames.Texts(counted: "", all: [])
    for piece in pieces { texts.all.append(try partitions[piece.partition].name(ofSubject: piece.subject)) }
    texts.counted = texts.all[0]
    if let piece = pieces.first(where: { $0.user != GatheredEvent.none }) {
      texts.counted = try partitions[piece.partition].name(ofUser: piece.user)
      texts.all.insert(texts.counted, at: 0)
    }
    return texts
  }
}

/// Writes the event sequences of gathered events.
private struct GatheredWriter: ~Copyable {
  /// An event with the fields that order it.
  private struct Entry {
    let moment: EventOrder.Moment
    let partition: Int
    let subject: Int
    let event: Int
  }

  private let partitions: [GatheredSubjects]
  private let classes: [(flow: Int, rank: Int)]
  private let request: PersonSequences.Request
  private var entries: [Entry] = []
  private var buffer = SequenceBuffer(capacity: 64)
  private var measurements = UniqueArray<Measurement>()
  private let names: GatheredNames?

  init(_ partitions: [GatheredSubjects], classes: [(flow: Int, rank: Int)], request: PersonSequences.Request) {
    self.partitions = partitions
    self.classes = classes
    self.request = request
    names = request.hasNames ? GatheredNames() : nil
  }

  /// Appends an event to the current sequence if a flow of the query uses it, and the sequence is of such flows.
  ///
  /// - Parameter isWanted: Returns whether the sequence has the events of a flow version.
  mutating func append(
    _ event: Int, ofSubject subject: Int, inPartition partition: Int, where isWanted: (Int) -> Bool
  ) {
    let gathered = partitions[partition].events[event]
    guard gathered.classID != GatheredEvent.noClass else { return }
    let (flow, rank) = classes[Int(gathered.classID)]
    guard isWanted(flow) else { return }
    entries.append(
      Entry(
        moment: EventOrder.Moment(milliseconds: gathered.milliseconds, sequence: gathered.sequence, rank: rank),
        partition: partition, subject: subject, event: event))
  }

  /// Passes the current sequence to `body`, unless it is empty or outside the period, and starts the next one.
  mutating func finish(
    names texts: () throws(FunnelError) -> GatheredNames.Texts, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    defer { entries.removeAll(keepingCapacity: true) }
    guard !entries.isEmpty else { return }
    let partitions = partitions
    var failure: FunnelError?
    entries.sort { a, b in
      do throws(FunnelError) {
        return try Self.precedes(a, b, in: partitions)
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    let last = entries[entries.count - 1].moment.milliseconds
    guard entries[0].moment.milliseconds < request.until, last >= request.since else { return }
    if entries.count > buffer.columns.times.count { buffer = SequenceBuffer(capacity: 2 * entries.count) }
    measurements.removeAll()
    let columns = buffer.columns
    for (index, entry) in entries.enumerated() {
      let event = partitions[entry.partition].events[entry.event]
      columns.classIDs[index] = event.classID
      columns.times[index] = event.milliseconds
      columns.attempts[index] = event.attempt
      columns.rows[index] = event.row
      columns.measurementStarts[index] = copyMeasurements(of: event, in: partitions[entry.partition])
    }
    if let names {
      names.texts = try texts()
      names.attempts = entries.map { entry in
        let gathered = partitions[entry.partition]
        let attempt = gathered.events[entry.event].attemptText
        return attempt == GatheredEvent.none ? nil : String(decoding: gathered.texts[Int(attempt)], as: UTF8.self)
      }
    }
    try body(
      columns.sequence(
        ofFirst: entries.count, hasAttempts: request.hasAttempts, hasRows: request.hasRows,
        measurements: request.hasMeasurements ? measurements.elements : nil, names: names))
  }

  /// Copies the measurements of an event, and returns the index of the first one.
  private mutating func copyMeasurements(of event: GatheredEvent, in gathered: GatheredSubjects) -> UInt32 {
    guard event.measurements != EventMeasurements.none else { return EventMeasurements.none }
    let start = UInt32(truncatingIfNeeded: measurements.count)
    var index = Int(event.measurements)
    repeat {
      measurements.append(gathered.measurements[index])
      index += 1
    } while !gathered.measurements[index - 1].isLast
    return start
  }

  /// Returns whether an event precedes another (``EventOrder``). Equal events of two subjects are ordered by the subject.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  private static func precedes(_ a: Entry, _ b: Entry, in partitions: [GatheredSubjects]) throws(FunnelError) -> Bool {
    try EventOrder.precedes(a.moment, b.moment) { () throws(FunnelError) in
      try partitions[a.partition].idOrder(
        of: a.event, ofSubject: a.subject, before: b.event, ofSubject: b.subject, in: partitions[b.partition])
    } namePrecedes: { () throws(FunnelError) in
      let first = partitions[a.partition]
      let second = partitions[b.partition]
      let nameA = first.texts[Int(first.events[a.event].name)]
      let nameB = second.texts[Int(second.events[b.event].name)]
      if nameA != nameB { return nameA.lexicographicallyPrecedes(nameB) }
      let partA = first.events[a.event].part
      let partB = second.events[b.event].part
      if partA != partB { return partA < partB }
      let subjectA = try first.name(ofSubject: a.subject)
      return try subjectA.utf8.lexicographicallyPrecedes(second.name(ofSubject: b.subject).utf8)
    }
  }
}

/// The texts of the sequence that a writer is passing on.
private final class GatheredNames: SequenceNames {
  /// The texts of one sequence.
  struct Texts {
    /// The person or the subject that is counted.
    var counted: String
    /// The person's user and subjects.
    var all: [String]
  }

  var texts = Texts(counted: "", all: [])
  var attempts: [String?] = []

  var subject: String { texts.counted }
  var person: String { texts.counted }
  var aliases: [String] { texts.all }

  func attempt(ofEvent index: Int) -> String? { attempts[index] }
}
