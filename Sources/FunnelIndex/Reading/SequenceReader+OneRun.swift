internal import FunnelModel

/// The events that one run has of a subject.
extension SequenceReader {
  /// Writes the wanted events of a reader's current subject to the buffer, sorted, and returns their count.
  @inline(__always)
  mutating func translate(_ source: Int) throws(FunnelError) -> Int {
    if isOutside(readers[source].plain.first, readers[source].plain.last) {
      readers[source].skip()
      return 0
    }
    measurements.removeAll()
    let end = try append(source, at: 0)
    if end.hasTies { sortTies(end.index) }
    return end.index
  }

  /// The end of the events written to the buffer, and whether some have equal times. If so, the column
  /// `sequences` is written too.
  struct End {
    var index: Int
    var hasTies: Bool
  }

  /// Writes the wanted events of a reader's current subject to the buffer, from `start` on, in the order of the run.
  @inline(__always)
  mutating func append(_ source: Int, at start: Int) throws(FunnelError) -> End {
    var end = try appendCodes(source, at: start)
    if hasParts { end.index = resolveParts(from: start, to: end.index) }
    return end
  }

  /// Writes the wanted events like ``append(_:at:)``, except that event class IDs may be compound.
  @inline(__always)
  mutating func appendCodes(_ source: Int, at start: Int) throws(FunnelError) -> End {
    guard readers[source].plain.last <= request.now, readers[source].sequences.isEmpty,
      let events = readers[source].plain.narrowEvents
    else { return try appendFully(source, at: start) }
    if isPlain { return appendPlain(events, classIDOfType: classIDsOfTypes[source], at: start) }
    if let contents = propsContents[source], let props = try readers[source].props.readBytes(events.count) {
      return try appendContents(source, events, props, contents, at: start)
    }
    return try appendFully(source, at: start)
  }

  /// Writes the wanted events for reports that depend only on types and times, the fast path of most reports.
  @inline(__always)
  func appendPlain(_ events: NarrowEvents, classIDOfType: BorrowedColumn<UInt32>, at start: Int) -> End {
    let types = events.types
    let offsets = events.offsets
    let first = events.first
    let classIDs = columns.classIDs
    let times = columns.times
    var target = start
    var previous = UInt32.max
    var ties = 0
    for event in 0..<events.count {
      let classID = classIDOfType[Int(types[event])]
      let offset = offsets[event]
      classIDs[target] = classID
      times[target] = first &+ Int64(offset)
      ties &+= offset == previous ? 1 : 0
      previous = offset
      target &+= classID == RunTranslation.unwanted ? 0 : 1
    }
    if ties > 0 { columns.sequences[start..<target].fill(with: 0) }
    return End(index: target, hasTies: ties > 0)
  }

  /// Writes the wanted events for any report and any subject.
  ///
  /// - Throws: `inputOutput` if a column is damaged.
  mutating func appendFully(_ source: Int, at start: Int) throws(FunnelError) -> End {
    let translation = translations[source]
    let total = readers[source].plain.count
    let hasSequences = !readers[source].sequences.isEmpty
    let columns = columns.dropFirst(start)
    if needsAttempts { try readers[source].attempts.read(total) { columns.attempts[$0] = $1 } }
    try readers[source].context.read(total) { columns.context[$0] = UInt32(truncatingIfNeeded: $1) }
    try readers[source].props.read(total) { columns.props[$0] = UInt32(truncatingIfNeeded: $1) }
    if hasSequences { try readers[source].sequences.read(total) { columns.sequences[$0] = Int64(bitPattern: $1) } }
    if hasMeasures { try readMeasurements(source, total, into: columns) { columns.props[$0] } }
    var count = 0
    var ties = 0
    var previous = Int64.min
    for event in 0..<total {
      let time = readers[source].plain.time(event)
      if time > request.now { break }
      let props = columns.props[event]
      let context = columns.context[event]
      let classID = try translation.classID(readers[source].plain.type(event), props: props, context: context)
      columns.classIDs[count] = classID
      columns.times[count] = time
      if hasMeasures { columns.measurementStarts[count] = columns.measurementStarts[event] }
      if needsAttempts { columns.attempts[count] = columns.attempts[event] }
      if hasSequences { columns.sequences[count] = columns.sequences[event] }
      if hasSegments { columns.rows[count] = try translation.row(props: props, context: context) }
      ties &+= time == previous ? 1 : 0
      previous = time
      count &+= classID == RunTranslation.unwanted ? 0 : 1
    }
    if ties > 0, !hasSequences { columns.sequences[0..<count].fill(with: 0) }
    return End(index: start + count, hasTies: ties > 0)
  }

  /// Sorts the events from `start` to `count` that have equal time and seq by the rank of their event class.
  func sortTies(_ count: Int, from start: Int = 0) {
    columns.sortTies(start..<count, ranks: flowMatchTable.ranks.numbers)
  }

  /// Writes the wanted events to the buffer, from `start` on, with their segment rows and measurements.
  ///
  /// - Throws: `inputOutput` if a code is out of range, or measurements are missing.
  @inline(__always)
  mutating func appendContents(
    _ source: Int, _ events: NarrowEvents, _ props: EventBytes, _ contents: PropsContents,
    at start: Int
  ) throws(FunnelError) -> End {
    let columns = columns
    // The column is open if the translation of another run needs it.
    readers[source].context.skip(events.count)
    if hasMeasures { try readMeasurements(source, events.count, into: columns.dropFirst(start)) { UInt32(props[$0]) } }
    var target = start
    var previous = UInt32.max
    var ties = 0
    for event in 0..<events.count {
      let offset = events.offsets[event]
      let content = Int(props[event])
      guard content < contents.count else { throw FunnelError.damagedIndex }
      let classID = contents.classID(ofType: events.types[event], content: content)
      columns.classIDs[target] = classID
      columns.times[target] = events.first &+ Int64(offset)
      columns.rows[target] = contents.rows[content]
      // No event moves to a higher index.
      if hasMeasures { columns.measurementStarts[target] = columns.measurementStarts[start &+ event] }
      ties &+= offset == previous ? 1 : 0
      previous = offset
      target &+= classID == RunTranslation.unwanted ? 0 : 1
    }
    if ties > 0 { columns.sequences[start..<target].fill(with: 0) }
    return End(index: target, hasTies: ties > 0)
  }

  /// Reads the measurements of a subject's events, and writes the index of each event's first one.
  ///
  /// - Parameter props: Returns the `props` code of each event.
  @inline(__always)
  mutating func readMeasurements(
    _ source: Int, _ count: Int, into columns: SequenceColumns, props: (Int) -> UInt32
  ) throws(FunnelError) {
    let starts = columns.measurementStarts
    guard readers[source].measures != nil else { return starts[0..<count].fill(with: EventMeasurements.none) }
    try readers[source].measures?.read(count, props: props, into: &measurements) { starts[$0] = $1 }
  }
}
