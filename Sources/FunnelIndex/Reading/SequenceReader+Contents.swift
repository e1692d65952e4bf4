internal import FunnelModel

/// A translation of the `props` codes of a run, for a report that depends only on types, times and `props`.
struct PropsContents: BitwiseCopyable, @unchecked Sendable {
  /// The value of each type code in ``RunTranslation/kinds``.
  private let kinds: UnsafePointer<UInt32>
  /// For each conditional value, the event class IDs by `props` code.
  let kindsOfContents: UnsafeMutablePointer<UnsafePointer<UInt32>>
  /// The segment row of each `props` code.
  let rows: UnsafePointer<UInt32>
  /// The number of `props` codes.
  let count: Int

  /// Creates a translation from tables, which must outlive it. Returns `nil` if one of them depends on `ctx`,
  /// or does not depend on `props`.
  init?(kinds: ConstantTable, conditionals: [ContentTable], segments: ContentTable?) {
    guard let rows = segments?.numbersOfProps, conditionals.allSatisfy({ $0.numbersOfProps?.count == rows.count }) else {
      return nil
    }
    self.kinds = kinds.base
    self.rows = rows.base
    count = rows.count
    kindsOfContents = .allocate(capacity: max(conditionals.count, 1))
    for (index, table) in conditionals.enumerated() {
      if let numbers = table.numbersOfProps { (kindsOfContents + index).initialize(to: numbers.base) }
    }
  }

  /// Returns the event class ID of an event, or ``RunTranslation/unwanted``.
  @inline(__always)
  func kind(ofType type: UInt8, content: Int) -> UInt32 {
    let kind = kinds[Int(type)]
    if kind < RunTranslation.firstConditional || kind == RunTranslation.unwanted { return kind }
    return kindsOfContents[Int(kind &- RunTranslation.firstConditional)][content]
  }
}

/// The fast path for reports that depend on `props`.
extension SequenceReader {
  /// Writes the wanted events to the buffer, from `start` on, with their segment rows and measurements.
  ///
  /// - Throws: `inputOutput` if a code is out of range, or measurements are missing.
  @inline(__always)
  mutating func appendContents(
    _ reader: UnsafeMutablePointer<SubjectReader>, _ events: NarrowEvents, _ props: EventBytes, _ contents: PropsContents,
    at start: Int
  ) throws(FunnelError) -> End {
    let columns = columns
    if hasMeasures { try readMeasurements(reader, events.count, into: columns.from(start)) { UInt32(props[$0]) } }
    var place = start
    var previous = UInt32.max
    var ties = 0
    for event in 0..<events.count {
      let offset = events.offsets[event]
      let content = Int(props[event])
      guard content < contents.count else { throw IndexDamage.error }
      let kind = contents.kind(ofType: events.types[event], content: content)
      columns.kinds[place] = kind
      columns.times[place] = events.first &+ Int64(offset)
      columns.rows[place] = contents.rows[content]
      // No event moves to a higher index.
      if hasMeasures { columns.measurements[place] = columns.measurements[start &+ event] }
      ties &+= offset == previous ? 1 : 0
      previous = offset
      place &+= kind == RunTranslation.unwanted ? 0 : 1
    }
    if ties > 0 { (columns.sequences + start).update(repeating: 0, count: place - start) }
    return End(place: place, hasTies: ties > 0)
  }

  /// Reads the measurements of a subject's events, and writes the index of each event's first one.
  ///
  /// - Parameter props: Returns the `props` code of each event.
  @inline(__always)
  mutating func readMeasurements(
    _ reader: UnsafeMutablePointer<SubjectReader>, _ count: Int, into columns: SequenceColumns, props: (Int) -> UInt32
  ) throws(FunnelError) {
    let starts = columns.measurements
    guard reader.pointee.measures != nil else { return starts.update(repeating: MeasureTable.none, count: count) }
    try reader.pointee.measures?.read(count, props: props, into: &measurements) { starts[$0] = $1 }
  }
}
