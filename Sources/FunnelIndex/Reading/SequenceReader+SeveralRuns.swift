internal import FunnelModel

/// The events that several runs have of a subject.
extension SequenceReader {
  /// Returns whether all events that a run has of the subject are later than those of the runs before it.
  ///
  /// This is the usual case, because a log grows with time.
  @inline(__always)
  func areOneAfterAnother(_ sources: ReaderSet) -> Bool {
    var last = Int64.min
    for source in sources {
      guard readers[source].plain.first > last else { return false }
      last = readers[source].plain.last
    }
    return true
  }

  /// Writes the wanted events of each run to the buffer, one run after another, and returns their count.
  ///
  /// Requires runs that ``areOneAfterAnother(_:)``.
  mutating func concatenate(_ sources: ReaderSet) throws(FunnelError) -> Int {
    let isOutside = isOutside(readers[sources.first].plain.first, readers[sources.last].plain.last)
    var count = 0
    measurements.removeAll()
    for source in sources {
      if isOutside {
        readers[source].skip()
        continue
      }
      let end = try append(source, at: count)
      if end.hasTies { sortTies(end.index, from: count) }
      count = end.index
    }
    return count
  }

  /// Writes the wanted events of all runs to the buffer, sorted, and returns their count.
  mutating func join(_ sources: ReaderSet) throws(FunnelError) -> Int {
    events.removeAll()
    measurements.removeAll()
    var areInOrder = true
    for source in sources {
      let start = events.count
      try readers[source].read(into: &events, &measurements, source: UInt8(source))
      if start > 0, events[start - 1].milliseconds >= events[start].milliseconds { areInOrder = false }
    }
    let wanted = try translateRows { _ in false }
    let kept = events.count
    // Further parts are appended after all other events, out of order.
    areInOrder = areInOrder && kept == wanted
    if !areInOrder { try sort(sources) }
    for index in 0..<kept {
      let event = events[index]
      columns.classIDs[index] = event.type
      columns.times[index] = event.milliseconds
      columns.attempts[index] = event.attempt
      columns.sequences[index] = event.sequence
      columns.rows[index] = event.context
      columns.measurementStarts[index] = event.measurements
    }
    if areInOrder, kept > 0 { sortTies(kept) }
    guard kept > 0, !isOutside(columns.times[0], columns.times[kept - 1]) else { return 0 }
    return kept
  }

  /// Translates ``events`` and removes those after `now` and those that the report does not use. Events of several flow
  /// versions become one for each; the further ones are appended.
  ///
  /// Afterwards the fields have other contents: `props` is the type code, `type` the event class ID or
  /// ``RunTranslation/unwanted``, `context` the segment row.
  ///
  /// - Parameter isKept: Returns whether an event is kept although the report does not use it.
  /// - Returns: The number of events before further ones were appended.
  /// - Throws: `inputOutput` if a code is out of range.
  mutating func translateRows(keeping isKept: (StoredRow) -> Bool) throws(FunnelError) -> Int {
    var kept = 0
    for index in 0..<events.count {
      var event = events[index]
      if event.milliseconds > request.now { continue }
      let translation = translations[Int(event.source)]
      let classID = try translation.classID(Int(event.type), props: event.props, context: event.context)
      if classID == RunTranslation.unwanted, !isKept(event) { continue }
      if hasSegments { event.context = try translation.row(props: event.props, context: event.context) }
      event.props = event.type
      event.type = classID
      events[kept] = event
      kept += 1
    }
    events.truncate(to: kept)
    if hasParts { resolvePartsOfRows() }
    return kept
  }

  /// Sorts ``events``, in which `type` must be the event class ID and `props` the type code.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  mutating func sort(_ sources: ReaderSet) throws(FunnelError) {
    // IDs are most of an index, and few comparisons need them: the events of one run are in order already. They
    // are read only if events of two runs are equal in all other fields.
    let elements = events.mutableElements
    var hasTies = false
    elements.sort { a, b in
      let momentA = moment(of: a)
      let momentB = moment(of: b)
      if momentA != momentB { return momentA < momentB }
      if a.source == b.source { return (a.event, a.part) < (b.event, b.part) }
      hasTies = true
      return false
    }
    guard hasTies else { return }
    try readIDs(sources)
    elements.sort { a, b in
      EventOrder.precedes(moment(of: a), moment(of: b)) {
        a.id.order(before: b.id)
      } namePrecedes: {
        a.source == b.source && a.event == b.event ? a.part < b.part : namePrecedes(a, b)
      }
    }
  }

  /// Returns the fields of an event that are compared first.
  @inline(__always)
  func moment(of event: StoredRow) -> EventOrder.Moment {
    EventOrder.Moment(
      milliseconds: event.milliseconds, sequence: event.sequence, rank: Int(flowMatchTable.ranks.numbers[Int(event.type)]))
  }

  /// Reads the IDs of ``events``, which may be in any order.
  mutating func readIDs(_ sources: ReaderSet) throws(FunnelError) {
    for source in sources {
      identified.removeAll()
      let ids = identified.appendUninitialized(readers[source].plain.count)
      try readers[source].readIDs(into: ids)
      for index in 0..<events.count where Int(events[index].source) == source {
        events[index].id = ids[Int(events[index].event)].id
      }
    }
  }

  /// Returns whether the type of an event precedes that of another.
  func namePrecedes(_ a: StoredRow, _ b: StoredRow) -> Bool {
    runs[Int(a.source)].types[Int(a.props)].withBorrowedElements { typeA in
      runs[Int(b.source)].types[Int(b.props)].withBorrowedElements { typeB in
        guard let typeA = EventTypeText(typeA), let typeB = EventTypeText(typeB) else { return false }
        return typeA.precedes(typeB)
      }
    }
  }
}
