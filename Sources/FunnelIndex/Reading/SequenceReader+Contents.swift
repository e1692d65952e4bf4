internal import FunnelModel

/// What a run's contents of `props` mean to a report that depends on nothing else but the types and times of events.
struct PropsContents: BitwiseCopyable, @unchecked Sendable {
  /// The kind of each type, as in ``RunTranslation/kinds``.
  private let kinds: UnsafePointer<UInt32>
  /// For each conditional kind, the kind by content.
  let kindsOfContents: UnsafeMutablePointer<UnsafePointer<UInt32>>
  /// The row of dimension values of each content.
  let rows: UnsafePointer<UInt32>
  /// The number of contents.
  let count: Int

  /// Creates the contents for tables that must outlive them, or nil if one of the tables depends on something else.
  init?(kinds: ConstantTable, conditionals: [ContentTable], segments: ContentTable?) {
    guard let rows = segments?.numbersOfProps, conditionals.allSatisfy({ $0.numbersOfProps?.count == rows.count }) else {
      return nil
    }
    (self.kinds, self.rows, count) = (kinds.base, rows.base, rows.count)
    kindsOfContents = .allocate(capacity: max(conditionals.count, 1))
    for (index, table) in conditionals.enumerated() {
      if let numbers = table.numbersOfProps { (kindsOfContents + index).initialize(to: numbers.base) }
    }
  }

  /// Returns the kind of an event, or ``RunTranslation/unwanted``.
  @inline(__always)
  func kind(ofType type: UInt8, content: Int) -> UInt32 {
    let kind = kinds[Int(type)]
    if kind < RunTranslation.firstConditional || kind == RunTranslation.unwanted { return kind }
    return kindsOfContents[Int(kind &- RunTranslation.firstConditional)][content]
  }
}

/// Events with the contents of their `props`, for reports of properties.
extension SequenceReader {
  /// Appends the wanted events with their rows and measurements, for most subjects of reports that need `props` and no other column.
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
      let (offset, content) = (events.offsets[event], Int(props[event]))
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

  /// Reads the measurements of a subject's events.
  ///
  /// - Parameter props: Returns the code of the `props` of each event.
  @inline(__always)
  mutating func readMeasurements(
    _ reader: UnsafeMutablePointer<SubjectReader>, _ count: Int, into columns: SequenceColumns, props: (Int) -> UInt32
  ) throws(FunnelError) {
    let starts = columns.measurements
    guard reader.pointee.measures != nil else { return starts.update(repeating: MeasureTable.none, count: count) }
    try reader.pointee.measures?.read(count, props: props, into: &measurements) { starts[$0] = $1 }
  }
}
