internal import FunnelModel

/// Reads the histories of one partition from one or several runs.
struct HistoryReading: ~Copyable {
  private let question: IndexQuestion
  private let runs: [IndexRun]
  private let translations: [RunTranslation]
  /// The kind of each type, by run: accessing it through the translation would retain an object for each subject.
  private let kindsOfTypes: UnsafeMutablePointer<UnsafePointer<UInt32>>
  private let meanings: Meanings
  /// Whether some codes are compound, or change dimension values.
  private let hasParts: Bool
  private var readers: SubjectReaders
  private let buffer: HistoryBuffer
  private var columns: HistoryColumns { buffer.columns }
  private var events = GrowingStorage<StoredRow>(capacity: 256)
  /// Scratch space for the ids of one reader's events.
  private var identified = GrowingStorage<StoredRow>(capacity: 16)
  private let hasSegments: Bool
  private let needsAttempts: Bool
  /// Whether the report needs only types and times.
  private let isPlain: Bool

  init(
    question: IndexQuestion, runs: [IndexRun], translations: [RunTranslation], meanings: Meanings,
    readers: consuming SubjectReaders
  ) {
    self.question = question
    self.runs = runs
    self.translations = translations
    self.meanings = meanings
    hasParts = meanings.kinds.partsMax > 1 || !meanings.changedRows.isEmpty
    buffer = HistoryBuffer(capacity: readers.eventsMax * meanings.kinds.partsMax)
    hasSegments = !question.dimensions.isEmpty
    needsAttempts = translations.contains { $0.needsAttempts }
    isPlain = translations.allSatisfy(\.isPlain)
    self.readers = readers
    kindsOfTypes = .allocate(capacity: max(translations.count, 1))
    for (index, translation) in translations.enumerated() { (kindsOfTypes + index).initialize(to: translation.kinds.base) }
  }

  deinit { kindsOfTypes.deallocate() }

  /// Passes the histories of the only run to `body`.
  mutating func readOne(_ body: (SubjectHistory) throws(FunnelError) -> Void) throws(FunnelError) {
    let reader = readers[0]
    // The reader is at its first subject already.
    repeat {
      let count = try translate(0)
      if count > 0 { try body(history(count)) }
    } while reader.pointee.next()
  }

  /// Passes the histories of all runs to `body`: first the subjects that are in one run only, run by run, then the others merged.
  mutating func readAll(_ body: (SubjectHistory) throws(FunnelError) -> Void) throws(FunnelError) {
    let shared = readers.sharedSubjects()
    var rest = SubjectReaders(readers, narrowedTo: shared)
    for source in 0..<readers.count {
      let reader = readers[source]
      repeat {
        if shared.mayHold(reader.pointee.lowKey) {
          reader.pointee.skip()
          continue
        }
        let count = try translate(source)
        if count > 0 { try body(history(count)) }
      } while reader.pointee.next()
    }
    swap(&readers, &rest)
    while let (_, sources) = readers.next() {
      let count: Int
      if sources & (sources &- 1) == 0 {
        count = try translate(sources.trailingZeroBitCount)
      } else if areOneAfterAnother(sources) {
        count = try concatenate(sources)
      } else {
        count = try join(sources)
      }
      if count > 0 { try body(history(count)) }
      readers.advance(sources, narrowedTo: shared)
    }
  }

  private func history(_ count: Int) -> SubjectHistory {
    SubjectHistory(
      count: count, kinds: UnsafePointer(columns.kinds), times: UnsafePointer(columns.times),
      attempts: needsAttempts ? UnsafePointer(columns.attempts) : nil,
      rows: hasSegments ? UnsafePointer(columns.rows) : nil)
  }

  /// Returns whether no group of a subject with these first and last times can count.
  @inline(__always)
  private func isOutside(_ first: Int64, _ last: Int64) -> Bool {
    first >= question.until || last < question.since || first > question.now
  }

  // MARK: - One run

  /// Writes the wanted events of a reader's current subject to the buffer, in order, and returns their number.
  @inline(__always)
  private func translate(_ source: Int) throws(FunnelError) -> Int {
    let reader = readers[source]
    if isOutside(reader.pointee.plain.first, reader.pointee.plain.last) {
      reader.pointee.skip()
      return 0
    }
    let end = try append(source, at: 0)
    if end.hasTies { sortTies(end.place) }
    return end.place
  }

  /// The end of the events written to the buffer, and whether two of them have the same time. If so, their sequences were written too.
  private struct End {
    var place: Int
    var hasTies: Bool
  }

  /// Writes the wanted events of a reader's current subject to the buffer, from `start` on.
  @inline(__always)
  private func append(_ source: Int, at start: Int) throws(FunnelError) -> End {
    var end = try appendCodes(source, at: start)
    if hasParts { end.place = resolveParts(from: start, to: end.place) }
    return end
  }

  /// Replaces each event with a compound code by one event for each part of the code.
  ///
  /// - Returns: The new end of the events.
  private func resolveParts(from start: Int, to end: Int) -> Int {
    let columns = columns
    var target = start
    for index in start..<end {
      target += KindTable.isCompound(columns.kinds[index]) ? meanings.kinds.parts(of: columns.kinds[index]).count : 1
    }
    let newEnd = target
    // Backwards, so that nothing is overwritten before it has been moved: no event moves to a lower index.
    for index in (start..<end).reversed() {
      let code = columns.kinds[index]
      let (time, attempt) = (columns.times[index], columns.attempts[index])
      let (sequence, row) = (columns.sequences[index], columns.rows[index])
      for part in KindTable.isCompound(code) ? meanings.kinds.parts(of: code).reversed() : [code] {
        target -= 1
        columns.kinds[target] = part
        columns.times[target] = time
        columns.attempts[target] = attempt
        columns.sequences[target] = sequence
        columns.rows[target] = hasSegments ? meanings.changedRows.row(row, ofKind: part) : 0
      }
    }
    return newEnd
  }

  /// Appends the events with the codes of the translation, some of which may be compound.
  @inline(__always)
  private func appendCodes(_ source: Int, at start: Int) throws(FunnelError) -> End {
    let reader = readers[source]
    guard isPlain, reader.pointee.plain.last <= question.now, reader.pointee.sequences.isEmpty,
      reader.pointee.plain.typeWidth == 1, let offsets = reader.pointee.plain.narrowOffsets
    else { return try appendFully(reader, translations[source], at: start) }
    return appendPlain(
      reader.pointee.plain.types.assumingMemoryBound(to: UInt8.self), offsets, count: reader.pointee.plain.count,
      first: reader.pointee.plain.first, kindOfType: kindsOfTypes[source], at: start)
  }

  /// Appends the wanted events on the fast path, which nearly all subjects of nearly all reports take.
  @inline(__always)
  private func appendPlain(
    _ types: UnsafePointer<UInt8>, _ offsets: UnsafePointer<UInt32>, count total: Int, first: Int64,
    kindOfType: UnsafePointer<UInt32>, at start: Int
  ) -> End {
    let (kinds, times) = (columns.kinds, columns.times)
    var place = start
    var previous = UInt32.max
    var ties = 0
    for event in 0..<total {
      let kind = kindOfType[Int(types[event])]
      let offset = offsets[event]
      kinds[place] = kind
      times[place] = first &+ Int64(offset)
      ties &+= offset == previous ? 1 : 0
      previous = offset
      place &+= kind == RunTranslation.unwanted ? 0 : 1
    }
    if ties > 0 { (columns.sequences + start).update(repeating: 0, count: place - start) }
    return End(place: place, hasTies: ties > 0)
  }

  private func appendFully(
    _ reader: UnsafeMutablePointer<SubjectReader>, _ translation: RunTranslation, at start: Int
  ) throws(FunnelError) -> End {
    let total = reader.pointee.plain.count
    let hasSequences = !reader.pointee.sequences.isEmpty
    let columns = columns.from(start)
    if needsAttempts { try reader.pointee.attempts.read(total) { columns.attempts[$0] = $1 } }
    try reader.pointee.context.read(total) { columns.context[$0] = UInt32(truncatingIfNeeded: $1) }
    try reader.pointee.props.read(total) { columns.props[$0] = UInt32(truncatingIfNeeded: $1) }
    if hasSequences { try reader.pointee.sequences.read(total) { columns.sequences[$0] = Int64(bitPattern: $1) } }
    var count = 0
    var ties = 0
    var previous = Int64.min
    for event in 0..<total {
      let time = reader.pointee.plain.time(event)
      if time > question.now { break }
      let (props, context) = (columns.props[event], columns.context[event])
      let kind = try translation.kind(reader.pointee.plain.type(event), props: props, context: context)
      columns.kinds[count] = kind
      columns.times[count] = time
      if needsAttempts { columns.attempts[count] = columns.attempts[event] }
      if hasSequences { columns.sequences[count] = columns.sequences[event] }
      if hasSegments { columns.rows[count] = try translation.row(props: props, context: context) }
      ties &+= time == previous ? 1 : 0
      previous = time
      count &+= kind == RunTranslation.unwanted ? 0 : 1
    }
    if ties > 0, !hasSequences { columns.sequences.update(repeating: 0, count: count) }
    return End(place: start + count, hasTies: ties > 0)
  }

  private func sortTies(_ count: Int, from start: Int = 0) {
    meanings.ranks.withUnsafeBufferPointer { columns.sortTies(start..<count, ranks: $0.baseAddress!) }
  }

  // MARK: - Several runs

  /// Returns whether each run has only later events of the subject than the runs before it: the usual case, as a log grows with time.
  @inline(__always)
  private func areOneAfterAnother(_ sources: UInt64) -> Bool {
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
  private func concatenate(_ sources: UInt64) throws(FunnelError) -> Int {
    let (first, last) = (sources.trailingZeroBitCount, 63 - sources.leadingZeroBitCount)
    let isOutside = isOutside(readers[first].pointee.plain.first, readers[last].pointee.plain.last)
    var bits = sources
    var count = 0
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
  private mutating func join(_ sources: UInt64) throws(FunnelError) -> Int {
    events.removeAll()
    var areInOrder = true
    var bits = sources
    while bits != 0 {
      let source = bits.trailingZeroBitCount
      bits &= bits &- 1
      let start = events.count
      try readers[source].pointee.read(into: &events, source: UInt8(source))
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
    }
    if areInOrder, kept > 0 { sortTies(kept) }
    guard kept > 0, !isOutside(columns.times[0], columns.times[kept - 1]) else { return 0 }
    return kept
  }

  /// Resolves compound codes like ``resolveParts(from:to:)``, for rows that may not be in order yet.
  private mutating func resolvePartsOfRows() {
    let kinds = meanings.kinds
    let count = events.count
    for index in 0..<count {
      var event = events[index]
      let parts = KindTable.isCompound(event.type) ? kinds.parts(of: event.type) : [event.type]
      let row = event.context
      for (number, part) in parts.enumerated() {
        event.type = part
        event.part = UInt16(clamping: number)
        if hasSegments { event.context = meanings.changedRows.row(row, ofKind: part) }
        if number == 0 { events[index] = event } else { events.append(event) }
      }
    }
  }

  /// Sorts events in which the kind has replaced the type, and the type has replaced `props`.
  ///
  /// Ids are compared last, and rarely, because the events of one run are in order already. Since ids make up most of an index, they are
  /// read from the disk only if they are needed.
  private mutating func sort(_ sources: UInt64) throws(FunnelError) {
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
  private func moment(of event: StoredRow) -> EventOrder.Moment {
    EventOrder.Moment(
      milliseconds: event.milliseconds, sequence: event.sequence, rank: Int(meanings.ranks[Int(event.type)]))
  }

  /// Reads the ids of the events, which may be in any order.
  private mutating func readIDs(_ sources: UInt64) throws(FunnelError) {
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

  private func namePrecedes(_ a: StoredRow, _ b: StoredRow) -> Bool {
    runs[Int(a.source)].types[Int(a.props)].withUnsafeBytes { typeA in
      runs[Int(b.source)].types[Int(b.props)].withUnsafeBytes { typeB in
        guard let typeA = EventTypeText(typeA), let typeB = EventTypeText(typeB) else { return false }
        return typeA.precedes(typeB)
      }
    }
  }
}
