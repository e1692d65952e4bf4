internal import FunnelModel

/// Codes of events that mean something to several flow versions: each such event becomes one event for each part of its code.
extension SequenceReader {
  /// Replaces each event with a compound code by one event for each part of the code.
  ///
  /// - Returns: The new end of the events.
  func resolveParts(from start: Int, to end: Int) -> Int {
    let columns = columns
    var target = start
    for index in start..<end {
      target += EventClassTable.isCompound(columns.kinds[index]) ? meanings.kinds.parts(of: columns.kinds[index]).count : 1
    }
    let newEnd = target
    // Backwards, so that nothing is overwritten before it has been moved: no event moves to a lower index.
    for index in (start..<end).reversed() {
      let code = columns.kinds[index]
      let (time, attempt) = (columns.times[index], columns.attempts[index])
      let (sequence, row, measurements) = (columns.sequences[index], columns.rows[index], columns.measurements[index])
      for part in EventClassTable.isCompound(code) ? meanings.kinds.parts(of: code).reversed() : [code] {
        target -= 1
        columns.kinds[target] = part
        columns.times[target] = time
        columns.attempts[target] = attempt
        columns.sequences[target] = sequence
        columns.measurements[target] = measurements
        columns.rows[target] = hasSegments ? meanings.changedRows.row(row, ofKind: part) : 0
      }
    }
    return newEnd
  }

  /// Resolves compound codes like ``resolveParts(from:to:)``, for rows that may not be in order yet.
  mutating func resolvePartsOfRows() {
    let kinds = meanings.kinds
    let count = events.count
    for index in 0..<count {
      var event = events[index]
      let parts = EventClassTable.isCompound(event.type) ? kinds.parts(of: event.type) : [event.type]
      let row = event.context
      for (number, part) in parts.enumerated() {
        event.type = part
        event.part = UInt16(clamping: number)
        if hasSegments { event.context = meanings.changedRows.row(row, ofKind: part) }
        if number == 0 { events[index] = event } else { events.append(event) }
      }
    }
  }
}
