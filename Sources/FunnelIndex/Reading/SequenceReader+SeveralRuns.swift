internal import FunnelModel

/// The events that several runs have of a subject. A set of runs is a `UInt64` with one bit for each reader.
extension SequenceReader {
  /// Returns whether all events that a run has of the subject are later than those of the runs before it.
  ///
  /// This is the usual case, because a log grows with time.
  @inline(__always)
  func areOneAfterAnother(_ sources: UInt64) -> Bool {
    var bits = sources
    var last = Int64.min
    while bits != 0 {
      let reader = readers[bits.trailingZeroBitCount]
      bits &= bits &- 1
      guard reader.pointee.plain.first > last else { return false }
      last = reader.pointee.plain.last
    }
    return true
  }

  /// Writes the wanted events of each run to the buffer, one run after another, and returns their count.
  ///
  /// Requires runs that ``areOneAfterAnother(_:)``.
  mutating func concatenate(_ sources: UInt64) throws(FunnelError) -> Int {
    let first = sources.trailingZeroBitCount
    let last = UInt64.bitWidth - 1 - sources.leadingZeroBitCount
    let isOutside = isOutside(readers[first].pointee.plain.first, readers[last].pointee.plain.last)
    var bits = sources
    var count = 0
    measurements.removeAll()
    while bits != 0 {
      let source = bits.trailingZeroBitCount
      bits &= bits &- 1
      if isOutside {
        readers[source].pointee.skip()
        continue
      }
      let end = try append(source, at: count)
      if end.hasTies { sortTies(end.place, from: count) }
      count = end.place
    }
    return count
  }

  /// Writes the wanted events of all runs to the buffer, sorted, and returns their count.
  mutating func join(_ sources: UInt64) throws(FunnelError) -> Int {
    events.removeAll()
    measurements.removeAll()
    var areInOrder = true
    var bits = sources
    while bits != 0 {
      let source = bits.trailingZeroBitCount
      bits &= bits &- 1
      let start = events.count
      try readers[source].pointee.read(into: &events, &measurements, source: UInt8(source))
      if start > 0, events[start - 1].milliseconds >= events[start].milliseconds { areInOrder = false }
    }
    var kept = 0
    for index in 0..<events.count {
      var event = events[index]
      if event.milliseconds > request.now { continue }
      let translation = translations[Int(event.source)]
      let kind = try translation.kind(Int(event.type), props: event.props, context: event.context)
      if kind == RunTranslation.unwanted { continue }
      if hasSegments { event.context = try translation.row(props: event.props, context: event.context) }
      // From here on, the fields have other contents: `props` is the type code, `type` the event class ID,
      // `context` the segment row.
      event.props = event.type
      event.type = kind
      events[kept] = event
      kept += 1
    }
    events.truncate(to: kept)
    if hasParts {
      resolvePartsOfRows()
      // Further parts are appended after all other events, out of order.
      areInOrder = areInOrder && events.count == kept
      kept = events.count
    }
    if !areInOrder { try sort(sources) }
    for index in 0..<kept {
      let event = events[index]
      columns.kinds[index] = event.type
      columns.times[index] = event.milliseconds
      columns.attempts[index] = event.attempt
      columns.sequences[index] = event.sequence
      columns.rows[index] = event.context
      columns.measurements[index] = event.measurements
    }
    if areInOrder, kept > 0 { sortTies(kept) }
    guard kept > 0, !isOutside(columns.times[0], columns.times[kept - 1]) else { return 0 }
    return kept
  }
}
