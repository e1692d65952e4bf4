internal import FunnelModel

/// The events that one run has of a subject.
extension SequenceReader {
  /// Writes the wanted events of a reader's current subject to the buffer, sorted, and returns their count.
  @inline(__always)
  mutating func translate(_ source: Int) throws(FunnelError) -> Int {
    let reader = readers[source]
    if isOutside(reader.pointee.plain.first, reader.pointee.plain.last) {
      reader.pointee.skip()
      return 0
    }
    measurements.removeAll()
    let end = try append(source, at: 0)
    if end.hasTies { sortTies(end.place) }
    return end.place
  }

  /// The end of the events written to the buffer, and whether some have equal times. If so, the column
  /// `sequences` is written too.
  struct End {
    var place: Int
    var hasTies: Bool
  }

  /// Writes the wanted events of a reader's current subject to the buffer, from `start` on, in the order of the run.
  @inline(__always)
  mutating func append(_ source: Int, at start: Int) throws(FunnelError) -> End {
    var end = try appendCodes(source, at: start)
    if hasParts { end.place = resolveParts(from: start, to: end.place) }
    return end
  }

  /// Writes the wanted events like ``append(_:at:)``, except that event class IDs may be compound.
  @inline(__always)
  mutating func appendCodes(_ source: Int, at start: Int) throws(FunnelError) -> End {
    let reader = readers[source]
    guard reader.pointee.plain.last <= request.now, reader.pointee.sequences.isEmpty, reader.pointee.plain.typeWidth == 1,
      let offsets = reader.pointee.plain.narrowOffsets
    else { return try appendFully(reader, translations[source], at: start) }
    let events = NarrowEvents(
      count: reader.pointee.plain.count, types: reader.pointee.plain.types.assumingMemoryBound(to: UInt8.self),
      offsets: offsets, first: reader.pointee.plain.first)
    if isPlain { return appendPlain(events, kindOfType: kindsOfTypes[source], at: start) }
    if let contents = propsContents[source], let props = try reader.pointee.props.readBytes(events.count) {
      return try appendContents(reader, events, props, contents, at: start)
    }
    return try appendFully(reader, translations[source], at: start)
  }

  /// The events of a subject whose types take one byte and whose time offsets take four.
  struct NarrowEvents: BitwiseCopyable {
    let count: Int
    let types: UnsafePointer<UInt8>
    let offsets: UnsafePointer<UInt32>
    let first: Int64
  }

  /// Writes the wanted events for reports that depend only on types and times, the fast path of most reports.
  @inline(__always)
  func appendPlain(_ events: NarrowEvents, kindOfType: UnsafePointer<UInt32>, at start: Int) -> End {
    let types = events.types
    let offsets = events.offsets
    let first = events.first
    let kinds = columns.kinds
    let times = columns.times
    var place = start
    var previous = UInt32.max
    var ties = 0
    for event in 0..<events.count {
      let kind = kindOfType[Int(types[event])]
      let offset = offsets[event]
      kinds[place] = kind
      times[place] = first &+ Int64(offset)
      ties &+= offset == previous ? 1 : 0
      previous = offset
      place &+= kind == RunTranslation.unwanted ? 0 : 1
    }
    if ties > 0 { (columns.sequences + start).update(repeating: 0, count: place - start) }
    return End(place: place, hasTies: ties > 0)
  }

  /// Writes the wanted events for any report and any subject.
  ///
  /// - Throws: `inputOutput` if a column is damaged.
  mutating func appendFully(
    _ reader: UnsafeMutablePointer<SubjectReader>, _ translation: RunTranslation, at start: Int
  ) throws(FunnelError) -> End {
    let total = reader.pointee.plain.count
    let hasSequences = !reader.pointee.sequences.isEmpty
    let columns = columns.from(start)
    if needsAttempts { try reader.pointee.attempts.read(total) { columns.attempts[$0] = $1 } }
    try reader.pointee.context.read(total) { columns.context[$0] = UInt32(truncatingIfNeeded: $1) }
    try reader.pointee.props.read(total) { columns.props[$0] = UInt32(truncatingIfNeeded: $1) }
    if hasSequences { try reader.pointee.sequences.read(total) { columns.sequences[$0] = Int64(bitPattern: $1) } }
    if hasMeasures { try readMeasurements(reader, total, into: columns) { columns.props[$0] } }
    var count = 0
    var ties = 0
    var previous = Int64.min
    for event in 0..<total {
      let time = reader.pointee.plain.time(event)
      if time > request.now { break }
      let props = columns.props[event]
      let context = columns.context[event]
      let kind = try translation.kind(reader.pointee.plain.type(event), props: props, context: context)
      columns.kinds[count] = kind
      columns.times[count] = time
      if hasMeasures { columns.measurements[count] = columns.measurements[event] }
      if needsAttempts { columns.attempts[count] = columns.attempts[event] }
      if hasSequences { columns.sequences[count] = columns.sequences[event] }
      if hasSegments { columns.rows[count] = try translation.row(props: props, context: context) }
      ties &+= time == previous ? 1 : 0
      previous = time
      count &+= kind == RunTranslation.unwanted ? 0 : 1
    }
    if ties > 0, !hasSequences { columns.sequences.update(repeating: 0, count: count) }
    return End(place: start + count, hasTies: ties > 0)
  }

  /// Sorts the events from `start` to `count` that have equal time and seq by the rank of their event class.
  func sortTies(_ count: Int, from start: Int = 0) {
    meanings.ranks.withUnsafeBufferPointer { columns.sortTies(start..<count, ranks: $0.baseAddress!) }
  }
}
