internal import FunnelModel

/// The sort of the events that several runs have of a subject.
extension SequenceReader {
  /// Sorts ``events``, in which `type` must be the event class ID and `props` the type code.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  mutating func sort(_ sources: UInt64) throws(FunnelError) {
    // IDs are most of an index, and few comparisons need them: the events of one run are in order already. They
    // are read only if events of two runs are equal in all other fields.
    var elements = events.mutableElements
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
        a.packedID.order(before: b.packedID)
      } namePrecedes: {
        a.source == b.source && a.event == b.event ? a.part < b.part : namePrecedes(a, b)
      }
    }
  }

  /// Returns the fields of an event that are compared first.
  @inline(__always)
  func moment(of event: StoredRow) -> EventOrder.Moment {
    EventOrder.Moment(
      milliseconds: event.milliseconds, sequence: event.sequence, rank: Int(meanings.ranks[Int(event.type)]))
  }

  /// Reads the IDs of ``events``, which may be in any order.
  mutating func readIDs(_ sources: UInt64) throws(FunnelError) {
    var bits = sources
    while bits != 0 {
      let source = bits.trailingZeroBitCount
      bits &= bits &- 1
      identified.removeAll()
      let ids = identified.extend(by: readers[source].pointee.plain.count)
      try readers[source].pointee.readIDs(into: ids)
      for index in 0..<events.count where Int(events[index].source) == source {
        let found = ids[Int(events[index].event)]
        events[index].id = found.id
        events[index].idForm = found.idForm
        events[index].idByteCount = found.idByteCount
      }
    }
  }

  /// Returns whether the type of an event precedes that of another.
  func namePrecedes(_ a: StoredRow, _ b: StoredRow) -> Bool {
    runs[Int(a.source)].types[Int(a.props)].withUnsafeBytes { typeA in
      runs[Int(b.source)].types[Int(b.props)].withUnsafeBytes { typeB in
        guard let typeA = EventTypeText(typeA), let typeB = EventTypeText(typeB) else { return false }
        return typeA.precedes(typeB)
      }
    }
  }
}
