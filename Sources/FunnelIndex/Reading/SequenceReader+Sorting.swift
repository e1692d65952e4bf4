internal import FunnelModel

/// The order of the events that several runs have of a subject.
extension SequenceReader {
  /// Sorts events in which the kind has replaced the type, and the type has replaced `props`.
  ///
  /// Ids are compared last, and rarely, because the events of one run are in order already. Since ids make up most of an index, they are
  /// read from the disk only if they are needed.
  mutating func sort(_ sources: UInt64) throws(FunnelError) {
    var elements = events.mutableElements
    var hasTies = false
    elements.sort { a, b in
      let (momentA, momentB) = (moment(of: a), moment(of: b))
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

  @inline(__always)
  func moment(of event: StoredRow) -> EventOrder.Moment {
    EventOrder.Moment(
      milliseconds: event.milliseconds, sequence: event.sequence, rank: Int(meanings.ranks[Int(event.type)]))
  }

  /// Reads the ids of the events, which may be in any order.
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
        (events[index].id, events[index].idForm, events[index].idByteCount) = (found.id, found.idForm, found.idByteCount)
      }
    }
  }

  func namePrecedes(_ a: StoredRow, _ b: StoredRow) -> Bool {
    runs[Int(a.source)].types[Int(a.props)].withUnsafeBytes { typeA in
      runs[Int(b.source)].types[Int(b.props)].withUnsafeBytes { typeB in
        guard let typeA = EventTypeText(typeA), let typeB = EventTypeText(typeB) else { return false }
        return typeA.precedes(typeB)
      }
    }
  }
}
