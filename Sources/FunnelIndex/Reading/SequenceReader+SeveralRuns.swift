internal import FunnelModel

extension SequenceReader {
  /// Returns whether each run has only later events of the subject than the runs before it: the usual case, as a log grows with time.
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

  /// Concatenates the wanted events that several runs have of a subject in the buffer, and returns their number.
  mutating func concatenate(_ sources: UInt64) throws(FunnelError) -> Int {
    let (first, last) = (sources.trailingZeroBitCount, 63 - sources.leadingZeroBitCount)
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

  /// Merges the wanted events that several runs have of a subject into the buffer, in order, and returns their number.
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
      if event.milliseconds > question.now { continue }
      let translation = translations[Int(event.source)]
      let kind = try translation.kind(Int(event.type), props: event.props, context: event.context)
      if kind == RunTranslation.unwanted { continue }
      if hasSegments { event.context = try translation.row(props: event.props, context: event.context) }
      event.props = event.type
      event.type = kind
      events[kept] = event
      kept += 1
    }
    events.truncate(to: kept)
    if hasParts {
      resolvePartsOfRows()
      // Further parts are appended after all other events.
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
