internal import FunnelIngest
internal import FunnelModel

/// Reads a partition of a run subject by subject, with all columns: for merging, and for subjects that are in several runs.
struct SubjectReader {
  private let run: SortedRun
  private let partition: Int
  var plain: PlainCursor
  /// The hashes of all subjects, 16 bytes each.
  let keys: UnsafeRawBufferPointer
  var attempts: ColumnCursor
  var context: ColumnCursor
  var props: ColumnCursor
  var sequences: ColumnCursor
  /// The measured properties, or nil if they are not read. They are passed along with ``props``.
  var measures: MeasureCursors?
  private var ids: IDCursor?
  private var names: IDCursor?

  /// The columns to read; the values of the others are 0.
  struct Columns {
    var attempts = true
    var context = true
    var props = true
    /// The hashes of the subjects; without them, ``SubjectReader/key`` must not be used.
    var keys = true
  }

  /// Opens a partition of a run; its ids are opened on first use.
  ///
  /// - Parameter measures: The measurements to read, which requires the column `props`; nil for none.
  init(
    _ run: SortedRun, partition: Int, columns: Columns = Columns(), measures table: MeasureTable? = nil
  ) throws(FunnelError) {
    precondition(table == nil || columns.props, "the contents of props tell which events have measurements")
    self.run = run
    self.partition = partition
    plain = try PlainCursor(run, partition: partition)
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    keys = columns.keys ? try run.section(.keys, ofPartition: partition) : none
    guard !columns.keys || keys.count == plain.subjectCount * 16 else { throw IndexDamage.error }
    let plain = plain
    func column(_ section: IndexFormat.Section, _ isRead: Bool) throws(FunnelError) -> ColumnCursor {
      return try ColumnCursor(isRead ? run.section(section, ofPartition: partition) : none, subjects: plain.subjectCount)
    }
    attempts = try column(.attempts, columns.attempts)
    context = try column(.context, columns.context)
    props = try column(.props, columns.props)
    sequences = try column(.sequences, true)
    if let table { measures = try MeasureCursors(run.section(.measures, ofPartition: partition), table) }
  }

  /// Advances to the next subject; returns false if there is none. The columns of the current one must have been read or skipped.
  @inline(__always)
  mutating func next() -> Bool { plain.next() }

  /// The hash of the current subject.
  @inline(__always)
  var key: Hash128 {
    let place = plain.subject &* 16
    return Hash128(
      high: keys.loadUnaligned(fromByteOffset: place, as: UInt64.self),
      low: keys.loadUnaligned(fromByteOffset: place &+ 8, as: UInt64.self))
  }

  /// Skips the current subject's columns.
  @inline(__always)
  mutating func skip() {
    attempts.skip(plain.count)
    context.skip(plain.count)
    sequences.skip(plain.count)
    if measures == nil { props.skip(plain.count) } else { skipMeasures() }
  }

  /// Skips subjects until another one is the current one: this one, whose columns have not been read, or a later one.
  mutating func skip(to target: Int) {
    guard !(attempts.isEmpty && context.isEmpty && props.isEmpty && sequences.isEmpty && measures == nil) else {
      return plain.jump(to: target)
    }
    while plain.subject < target {
      skip()
      precondition(next(), "a subject that is skipped to is in the run")
    }
  }

  private mutating func skipMeasures() {
    let count = plain.count
    do throws(FunnelError) {
      if let codes = try props.readBytes(count) {
        measures?.skip(count) { UInt32(codes[$0]) }
      } else {
        var codes = GrowingStorage<UInt32>(capacity: count)
        try props.read(count) { codes.append(UInt32(truncatingIfNeeded: $1)) }
        let base = codes.base
        measures?.skip(count) { base[$0] }
      }
    } catch {
      measures?.lose()
    }
  }

  /// Appends the current subject's events without their ids, and their measurements.
  mutating func read(
    into events: inout GrowingStorage<StoredRow>, _ measurements: inout GrowingStorage<Measurement>, source: UInt8
  ) throws(FunnelError) {
    let count = plain.count
    let target = events.extend(by: count)
    for event in 0..<count {
      target[event] = StoredRow(
        milliseconds: plain.time(event), sequence: 0, attempt: 0, type: UInt32(truncatingIfNeeded: plain.type(event)),
        context: 0,
        props: 0, measurements: MeasureTable.none, source: source, idForm: 0, idByteCount: 0,
        event: UInt32(truncatingIfNeeded: event), id: 0)
    }
    try attempts.read(count) { target[$0].attempt = $1 }
    try context.read(count) { target[$0].context = UInt32(truncatingIfNeeded: $1) }
    try props.read(count) { target[$0].props = UInt32(truncatingIfNeeded: $1) }
    try sequences.read(count) { target[$0].sequence = Int64(bitPattern: $1) }
    try measures?.read(
      count, props: { target[$0].props }, into: &measurements, starts: { target[$0].measurements = $1 })
  }

  private mutating func openIDs() throws(FunnelError) -> IDCursor {
    if let ids { return ids }
    let opened = try IDCursor(run.uncheckedSection(.ids, ofPartition: partition), subjects: plain.subjectCount)
    ids = opened
    return opened
  }

  /// Returns the current subject itself, packed like an id. It is valid as long as the run.
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
    guard let name else { throw IndexDamage.error }
    return name
  }

  /// Fills in the ids of the current subject's events, the last ones that were appended.
  mutating func readIDs(into events: UnsafeMutablePointer<StoredRow>) throws(FunnelError) {
    let ids = try openIDs()
    try run.check(ids.endBytes(ofSubject: plain.subject))
    try run.check(ids.idBytes(ofSubject: plain.subject))
    try ids.forEach(ofSubject: plain.subject, count: plain.count) { event, id in
      events[event].id = UInt(bitPattern: id.bytes.baseAddress)
      events[event].idByteCount = UInt8(truncatingIfNeeded: id.bytes.count)
      events[event].idForm = id.form.rawValue
    }
  }
}

/// An event as stored in a run, with its columns in one structure.
struct StoredRow: BitwiseCopyable {
  var milliseconds: Int64
  var sequence: Int64
  var attempt: UInt64
  var type: UInt32
  var context: UInt32
  var props: UInt32
  /// The index of the event's first measurement, or ``MeasureTable/none``.
  var measurements: UInt32
  /// The number of the event's run among those read together.
  var source: UInt8
  var idForm: UInt8
  var idByteCount: UInt8
  /// The index of the event among the subject's events in that run.
  var event: UInt32
  /// The index of this event among those that flows read the row as.
  var part: UInt16 = 0
  /// The address of the packed id, or 0 until it has been read.
  var id: UInt

  @inline(__always)
  var packedID: PackedID {
    PackedID(
      form: PackedID.Form(rawValue: idForm) ?? .text,
      bytes: UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: id), count: Int(idByteCount)))
  }
}
