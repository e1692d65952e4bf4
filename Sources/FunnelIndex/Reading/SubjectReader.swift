internal import FunnelDecoding
internal import FunnelModel

/// A reader for one partition of a sorted run, subject by subject.
///
/// The columns of each subject must be read or skipped before the reader advances.
struct SubjectReader {
  private let run: SortedRun
  private let partition: Int
  /// The types and times, which also determine the current subject.
  var plain: PlainCursor
  /// The keys of the subjects; ``SubjectKeys/none`` if they are not read.
  let keys: SubjectKeys
  /// The hashes of the attempts.
  var attempts: SubjectColumnCursor
  /// The dictionary codes of `ctx`.
  var context: SubjectColumnCursor
  /// The dictionary codes of `props`.
  var props: SubjectColumnCursor
  /// The `seq` of the events, or 0.
  var sequences: SubjectColumnCursor
  /// The number of each event's user among those of its subject, or 0.
  var userNumbers: SubjectColumnCursor
  /// The measured properties; `nil` if they are not read. They must advance together with ``props``.
  var measures: MeasureCursors?
  /// The IDs; `nil` until they are first used.
  private var ids: IDCursor?
  /// The names of the subjects; `nil` until they are first used.
  private var names: IDCursor?
  /// The users of the subjects; none if they are not read.
  let users: SubjectUsers

  /// The columns to read. The values of all others are 0.
  struct Columns {
    var attempts = true
    var context = true
    var props = true
    /// The hashes of the subjects, which ``SubjectReader/key`` requires.
    var keys = true
    /// The users of the subjects.
    var users = false
    /// The number of each event's user, which requires ``users``.
    var userNumbers = false
  }

  /// Opens a partition of a run, before its first subject.
  ///
  /// - Parameter table: The measurements to read, which requires the column `props`; `nil` to read none.
  /// - Throws: `inputOutput` if the run is damaged.
  init(
    _ run: SortedRun, partition: Int, columns: Columns = Columns(), measures table: MeasureTable? = nil
  ) throws(FunnelError) {
    precondition(table == nil || columns.props, "the contents of props tell which events have measurements")
    self.run = run
    self.partition = partition
    plain = try PlainCursor(run, partition: partition)
    let subjects = plain.subjectCount
    keys = columns.keys ? try SubjectKeys(run.section(.keys, ofPartition: partition), count: subjects) : .none
    func column(_ section: IndexFormat.Section, _ isRead: Bool) throws(FunnelError) -> SubjectColumnCursor {
      try SubjectColumnCursor(isRead ? run.section(section, ofPartition: partition) : .empty, subjects: subjects)
    }
    attempts = try column(.attempts, columns.attempts)
    context = try column(.context, columns.context)
    props = try column(.props, columns.props)
    sequences = try column(.sequences, true)
    userNumbers = try column(.userNumbers, columns.userNumbers)
    users = try SubjectUsers(columns.users ? run.section(.users, ofPartition: partition) : .empty)
    if let table { measures = try MeasureCursors(run.section(.measures, ofPartition: partition), table) }
  }

  /// Advances to the next subject. Returns `false` at the end. The columns of the current subject must have
  /// been read or skipped.
  @inline(__always)
  mutating func next() -> Bool {
    assert(
      attempts.isAfter(plain.subject) && context.isAfter(plain.subject) && props.isAfter(plain.subject)
        && sequences.isAfter(plain.subject) && userNumbers.isAfter(plain.subject),
      "the columns of the current subject were read or skipped")
    return plain.next()
  }

  /// The hash of the current subject.
  @inline(__always)
  var key: Hash128 { keys[plain.subject] }

  /// Skips the columns of the current subject.
  @inline(__always)
  mutating func skip() {
    attempts.skip(plain.count)
    context.skip(plain.count)
    sequences.skip(plain.count)
    userNumbers.skip(plain.count)
    if measures == nil { props.skip(plain.count) } else { skipMeasures() }
  }

  /// Advances to a subject, and skips the columns of those before it.
  ///
  /// The columns of the current subject must not have been read or skipped.
  ///
  /// - Parameter target: The index of the subject, at least that of the current one.
  mutating func skip(to target: Int) {
    // Without columns to skip, the cursor can jump.
    guard !(attempts.isEmpty && context.isEmpty && props.isEmpty && sequences.isEmpty && userNumbers.isEmpty && measures == nil)
    else {
      return plain.jump(to: target)
    }
    while plain.subject < target {
      skip()
      precondition(next(), "a subject that is skipped to is in the run")
    }
  }

  /// Skips the columns `props` and `measures` of the current subject, which depend on each other.
  private mutating func skipMeasures() {
    let count = plain.count
    do throws(FunnelError) {
      if let codes = try props.readBytes(count) {
        measures?.skip(count) { UInt32(codes[$0]) }
      } else {
        var codes = UniqueArray<UInt32>(capacity: count)
        try props.read(count) { codes.append(UInt32(truncatingIfNeeded: $1)) }
        let elements = codes.elements
        measures?.skip(count) { elements[$0] }
      }
    } catch {
      props.skip(count)
      measures?.lose()
    }
  }

  /// Appends the events of the current subject, without their IDs, and their measurements.
  ///
  /// - Parameter source: The index of this reader's run, which is stored in the rows.
  /// - Throws: `inputOutput` if a column is damaged.
  mutating func read(
    into events: inout UniqueArray<StoredRow>, _ measurements: inout UniqueArray<Measurement>, source: UInt8
  ) throws(FunnelError) {
    let count = plain.count
    let target = events.appendUninitialized(count)
    for event in 0..<count {
      target[event] = StoredRow(
        milliseconds: plain.time(event), sequence: 0, attempt: 0, type: UInt32(truncatingIfNeeded: plain.type(event)),
        context: 0, props: 0, measurements: EventMeasurements.none, source: source, event: UInt32(truncatingIfNeeded: event))
    }
    try attempts.read(count) { target[$0].attempt = $1 }
    try context.read(count) { target[$0].context = UInt32(truncatingIfNeeded: $1) }
    try props.read(count) { target[$0].props = UInt32(truncatingIfNeeded: $1) }
    try sequences.read(count) { target[$0].sequence = Int64(bitPattern: $1) }
    try userNumbers.read(count) { target[$0].user = UInt32(truncatingIfNeeded: $1) }
    try measures?.read(
      count, props: { target[$0].props }, into: &measurements, starts: { target[$0].measurements = $1 })
  }

  /// Returns the cursor for the IDs, which is opened on first use.
  private mutating func openIDs() throws(FunnelError) -> IDCursor {
    if let ids { return ids }
    let opened = try IDCursor(run.uncheckedSection(.ids, ofPartition: partition), subjects: plain.subjectCount)
    ids = opened
    return opened
  }

  /// Returns the name of the current subject, packed like an ID. It is valid as long as the run.
  ///
  /// - Throws: `inputOutput` if the section is damaged.
  mutating func readName() throws(FunnelError) -> PackedID {
    let names =
      if let names { names } else {
        try IDCursor(run.uncheckedSection(.names, ofPartition: partition), subjects: plain.subjectCount)
      }
    self.names = names
    try run.check(names.endBytes(ofSubject: plain.subject))
    try run.check(names.idBytes(ofSubject: plain.subject))
    var name: PackedID?
    try names.forEach(ofSubject: plain.subject, count: 1) { _, id in name = id }
    guard let name else { throw FunnelError.damagedIndex }
    return name
  }

  /// Returns a user of the run's partition, packed like an ID. It is valid as long as the run.
  ///
  /// - Throws: `inputOutput` if the section is damaged.
  func readUser(_ user: Int) throws(FunnelError) -> PackedID { try run.user(user, inPartition: partition) }

  /// Sets the IDs of the current subject's events. They are valid as long as the run.
  ///
  /// - Parameter events: The rows of all events of the subject, in the order of the run.
  /// - Throws: `inputOutput` if the section is damaged.
  mutating func readIDs(into events: MutableColumn<StoredRow>) throws(FunnelError) {
    precondition(events.count == plain.count, "each event of the subject has a row")
    let ids = try openIDs()
    try run.check(ids.endBytes(ofSubject: plain.subject))
    try run.check(ids.idBytes(ofSubject: plain.subject))
    try ids.forEach(ofSubject: plain.subject, count: plain.count) { event, id in events[event].id = id }
  }
}

/// An event of a sorted run, with the values of all columns.
struct StoredRow: BitwiseCopyable {
  var milliseconds: Int64
  var sequence: Int64
  /// A hash of the attempt, or 0 if the event has none.
  var attempt: UInt64
  // The dictionary codes, which a reader may replace (`SequenceReader.join`).
  var type: UInt32
  var context: UInt32
  var props: UInt32
  /// The index of the event's first measurement, or ``EventMeasurements/none``.
  var measurements: UInt32
  /// The index of the event's run among those read together.
  var source: UInt8
  /// The index of the event among the subject's events in its run.
  var event: UInt32
  /// The index of this event among those that flow versions derive from the stored one (``SequenceReader``).
  var part: UInt16 = 0
  /// The number of the event's user among those that the subject has in the run, or 0 if it has none.
  var user: UInt32 = 0
  /// The ID; empty before it is read.
  var id = PackedID(form: .text, bytes: .empty)
}
