internal import FunnelDecoding
internal import FunnelModel

/// An event class, as far as the order of gathered events depends on it.
struct GatheredClass: BitwiseCopyable, Sendable {
  /// The rank among events with the same time (``EventClass/tieRank(stepCount:)``).
  let rank: Int
  /// Whether its flow version counts persons, or entries of persons.
  let isOfPersons: Bool
}

/// Writes the event sequences of gathered events.
struct GatheredWriter: ~Copyable {
  /// An event of the current sequence.
  struct Entry: BitwiseCopyable {
    let event: AssignedEvent
    let partition: UInt32
    /// The index of the subject in its partition.
    let subject: UInt32
  }

  private let partitions: [GatheredSubjects]
  private let classes: BorrowedColumn<GatheredClass>
  private let request: PersonSequences.Request
  /// The events of the current sequence.
  private var entries = UniqueArray<Entry>(capacity: 64)
  private var buffer = SequenceBuffer(capacity: 64)
  private var measurements = UniqueArray<Measurement>()
  private let names: GatheredNames?

  /// Creates a writer.
  ///
  /// - Parameter classes: The event classes by ID. They must outlive the writer.
  init(_ partitions: [GatheredSubjects], classes: BorrowedColumn<GatheredClass>, request: PersonSequences.Request) {
    self.partitions = partitions
    self.classes = classes
    self.request = request
    names = request.hasNames ? GatheredNames() : nil
  }

  /// Appends an event to the current sequence if a flow of the query uses it, and the sequence is of such flows.
  ///
  /// - Parameter ofPersons: Whether the sequence is of flows that count persons.
  @inline(__always)
  mutating func append(_ event: AssignedEvent, ofSubject subject: UInt32, inPartition partition: UInt32, ofPersons: Bool) {
    guard event.classID != GatheredEvent.noClass, classes[Int(event.classID)].isOfPersons == ofPersons else { return }
    entries.append(Entry(event: event, partition: partition, subject: subject))
  }

  /// Passes the current sequence to `body`, unless it is empty or outside the period, and starts the next one.
  ///
  /// - Parameter texts: Returns the names. Called if the report needs them.
  /// - Throws: `inputOutput` if the index is damaged; the error of `body`.
  mutating func finish(
    names texts: () throws(FunnelError) -> GatheredNames.Texts, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    defer { entries.removeAll() }
    let count = entries.count
    guard count > 0 else { return }
    try sort()
    guard entries[0].event.milliseconds < request.until, entries[count - 1].event.milliseconds >= request.since else { return }
    if count > buffer.columns.times.count { buffer = SequenceBuffer(capacity: 2 * count) }
    measurements.removeAll()
    let columns = buffer.columns
    for index in 0..<count {
      let event = entries[index].event
      columns.classIDs[index] = event.classID
      columns.times[index] = event.milliseconds
      columns.rows[index] = event.row
    }
    if request.hasAttempts || request.hasMeasurements { copyDetails(to: columns) }
    if let names {
      names.texts = try texts()
      names.attempts = (0..<count).map { attemptText(of: entries[$0]) }
    }
    try body(
      columns.sequence(
        ofFirst: count, hasAttempts: request.hasAttempts, hasRows: request.hasRows,
        measurements: request.hasMeasurements ? measurements.elements : nil, names: names))
  }

  /// Copies the attempts and the measurements of the current sequence.
  private mutating func copyDetails(to columns: SequenceColumns) {
    for index in 0..<entries.count {
      let gathered = partitions[Int(entries[index].partition)]
      let event = gathered.events[Int(entries[index].event.number)]
      columns.attempts[index] = event.attempt
      columns.measurementStarts[index] = copyMeasurements(of: event, in: gathered)
    }
  }

  /// Returns the attempt of an event, or `nil` if it has none.
  private func attemptText(of entry: Entry) -> String? {
    let gathered = partitions[Int(entry.partition)]
    let attempt = gathered.events[Int(entry.event.number)].attemptText
    return attempt == GatheredEvent.none ? nil : String(decoding: gathered.texts[Int(attempt)], as: UTF8.self)
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

  /// Sorts the events of the current sequence (``EventOrder``).
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  private func sort() throws(FunnelError) {
    // Most events differ in time, which is at hand. All else is looked up for those that do not.
    let sorted = entries.mutableElements
    var isSorted = true
    for index in 1..<max(sorted.count, 1)
    where sorted[index - 1].event.milliseconds > sorted[index].event.milliseconds {
      isSorted = false
      break
    }
    if !isSorted { sorted.sort { $0.event.milliseconds < $1.event.milliseconds } }
    var start = 0
    for end in 1...sorted.count
    where end == sorted.count || sorted[end].event.milliseconds != sorted[start].event.milliseconds {
      if end - start > 1 { try sortTies(sorted[start..<end]) }
      start = end
    }
  }

  /// Sorts events with equal times.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  private func sortTies(_ ties: MutableColumn<Entry>) throws(FunnelError) {
    var failure: FunnelError?
    ties.sort { a, b in
      do throws(FunnelError) {
        return try precedes(a, b)
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
  }

  /// Returns whether an event precedes another (``EventOrder``). Equal events of two subjects are ordered by the subject.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  private func precedes(_ a: Entry, _ b: Entry) throws(FunnelError) -> Bool {
    let first = partitions[Int(a.partition)]
    let second = partitions[Int(b.partition)]
    return try EventOrder.precedes(moment(of: a, in: first), moment(of: b, in: second)) { () throws(FunnelError) in
      try first.idOrder(
        of: Int(a.event.number), ofSubject: Int(a.subject), before: Int(b.event.number), ofSubject: Int(b.subject),
        in: second)
    } namePrecedes: { () throws(FunnelError) in
      let firstEvent = first.events[Int(a.event.number)]
      let secondEvent = second.events[Int(b.event.number)]
      let firstName = first.texts[Int(firstEvent.name)]
      let secondName = second.texts[Int(secondEvent.name)]
      if firstName != secondName { return firstName.lexicographicallyPrecedes(secondName) }
      if firstEvent.part != secondEvent.part { return firstEvent.part < secondEvent.part }
      let subject = try first.name(ofSubject: Int(a.subject))
      return try subject.utf8.lexicographicallyPrecedes(second.name(ofSubject: Int(b.subject)).utf8)
    }
  }

  /// Returns the fields of an event that are compared first.
  private func moment(of entry: Entry, in gathered: GatheredSubjects) -> EventOrder.Moment {
    EventOrder.Moment(
      milliseconds: entry.event.milliseconds, sequence: gathered.events[Int(entry.event.number)].sequence,
      rank: classes[Int(entry.event.classID)].rank)
  }
}

/// The texts of the sequence that a writer is passing on.
final class GatheredNames: SequenceNames {
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
