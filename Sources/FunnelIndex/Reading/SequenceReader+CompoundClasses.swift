internal import FunnelModel

/// The expansion of compound event class IDs: an event that several flow versions use becomes one event for
/// each of them.
extension SequenceReader {
  /// Replaces each event with a compound event class ID by one event for each ID that it represents.
  ///
  /// - Parameters:
  ///   - start: The index of the first event in the buffer.
  ///   - end: The index after the last event.
  ///
  /// - Returns: The index after the last expanded event.
  func resolveParts(from start: Int, to end: Int) -> Int {
    let columns = columns
    var target = start
    for index in start..<end {
      target +=
        EventClassTable.isCompound(columns.classIDs[index])
        ? flowMatchTable.eventClasses.parts(of: columns.classIDs[index]).count : 1
    }
    let newEnd = target
    assert(newEnd <= columns.times.count, "the buffer has room for all parts")
    // Backward, because no event moves to a lower index: each is read before it is overwritten.
    for index in (start..<end).reversed() {
      let classID = columns.classIDs[index]
      let time = columns.times[index]
      let attempt = columns.attempts[index]
      let sequence = columns.sequences[index]
      let row = columns.rows[index]
      let measurementStart = columns.measurementStarts[index]
      for part in EventClassTable.isCompound(classID) ? flowMatchTable.eventClasses.parts(of: classID).reversed() : [classID] {
        target -= 1
        columns.classIDs[target] = part
        columns.times[target] = time
        columns.attempts[target] = attempt
        columns.sequences[target] = sequence
        columns.measurementStarts[target] = measurementStart
        columns.rows[target] = hasSegments ? flowMatchTable.changedRows.row(row, ofClass: part) : 0
      }
    }
    return newEnd
  }

  /// Replaces each row with a compound event class ID like ``resolveParts(from:to:)``. The rows need not be in order.
  ///
  /// The first part replaces the row. Further parts are appended.
  mutating func resolvePartsOfRows() {
    let eventClasses = flowMatchTable.eventClasses
    let count = events.count
    for index in 0..<count {
      var event = events[index]
      if event.type == RunTranslation.unwanted { continue }
      let parts = EventClassTable.isCompound(event.type) ? eventClasses.parts(of: event.type) : [event.type]
      let row = event.context
      for (number, part) in parts.enumerated() {
        event.type = part
        event.part = UInt16(clamping: number)
        if hasSegments { event.context = flowMatchTable.changedRows.row(row, ofClass: part) }
        if number == 0 { events[index] = event } else { events.append(event) }
      }
    }
  }
}
