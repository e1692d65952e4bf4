internal import FunnelModel

/// Reads the histories of one partition from one or several runs.
struct SequenceReader: ~Copyable {
  let question: IndexRequest
  let runs: [SortedRun]
  let translations: [RunTranslation]
  /// The kind of each type, by run: accessing it through the translation would retain an object for each subject.
  let kindsOfTypes: UnsafeMutablePointer<UnsafePointer<UInt32>>
  /// The contents of each run's `props`, for reports that depend on nothing else; nil for other runs.
  let propsContents: UnsafeMutablePointer<PropsContents?>
  let meanings: Meanings
  /// Whether some codes are compound, or change dimension values.
  let hasParts: Bool
  var readers: SubjectReaders
  private let buffer: SequenceBuffer
  var columns: SequenceColumns { buffer.columns }
  var events = GrowingStorage<StoredRow>(capacity: 256)
  /// Scratch space for the ids of one reader's events.
  var identified = GrowingStorage<StoredRow>(capacity: 16)
  /// The measurements of the current subject's events.
  var measurements = GrowingStorage<Measurement>()
  let hasSegments: Bool
  /// Whether the report asks for measurements and a run has some.
  let hasMeasures: Bool
  let needsAttempts: Bool
  /// Whether the report needs only types and times.
  let isPlain: Bool
  /// The name of the current subject; nil if nobody asks.
  private let names: IndexedNames?

  /// The number of subjects by which memory is asked for in advance: about as many as are read while one answer is on its way.
  private static let lookahead = 16

  init(
    question: IndexRequest, runs: [SortedRun], translations: [RunTranslation], meanings: Meanings,
    readers: consuming SubjectReaders
  ) {
    self.question = question
    self.runs = runs
    self.translations = translations
    self.meanings = meanings
    hasParts = meanings.kinds.partsMax > 1 || !meanings.changedRows.isEmpty
    buffer = SequenceBuffer(capacity: readers.eventsMax * meanings.kinds.partsMax)
    hasSegments = !question.dimensions.isEmpty
    hasMeasures = translations.contains { $0.measures != nil }
    needsAttempts = translations.contains { $0.needsAttempts }
    isPlain = translations.allSatisfy(\.isPlain)
    names = question.needs.subjects ? IndexedNames() : nil
    self.readers = readers
    kindsOfTypes = .allocate(capacity: max(translations.count, 1))
    propsContents = .allocate(capacity: max(translations.count, 1))
    for (index, translation) in translations.enumerated() {
      (kindsOfTypes + index).initialize(to: translation.kinds.base)
      (propsContents + index).initialize(to: needsAttempts ? nil : translation.propsContents)
    }
  }

  deinit {
    kindsOfTypes.deallocate()
    propsContents.deallocate()
  }

  /// Passes the histories of the only run to `body`.
  mutating func readOne(_ body: (EventSequence) throws(FunnelError) -> Void) throws(FunnelError) {
    let reader = readers[0]
    // The reader is at its first subject already.
    repeat {
      let count = try translate(0)
      if count > 0 { try body(sequence(count, of: 0)) }
    } while reader.pointee.next()
  }

  /// Passes the histories of all runs to `body`: first the subjects that are in one run only, run by run, then the others merged.
  mutating func readAll(_ body: (EventSequence) throws(FunnelError) -> Void) throws(FunnelError) {
    let shared = readers.sharedSubjects()
    var rest = SubjectReaders(skipping: readers)
    for source in 0..<readers.count { try readUnshared(source, shared.indices(inRun: source), body) }
    swap(&readers, &rest)
    try readShared(shared.occurrences, body)
  }

  /// Passes the histories of a run's subjects to `body`, except those of shared ones, whose indices end with ``SharedSubjects/end``.
  private mutating func readUnshared(
    _ source: Int, _ shared: [UInt32], _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    let reader = readers[source]
    var place = 0
    repeat {
      if reader.pointee.plain.subject == Int(shared[place]) {
        reader.pointee.skip()
        place += 1
        continue
      }
      let count = try translate(source)
      if count > 0 { try body(sequence(count, of: source)) }
    } while reader.pointee.next()
  }

  /// Passes the histories of the subjects that are in several runs to `body`.
  private mutating func readShared(
    _ occurrences: [SharedSubjects.Occurrence], _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    var sources: UInt64 = 0
    for (place, occurrence) in occurrences.enumerated() {
      // These subjects are far apart in memory, so without this, waiting for it took longer than anything else.
      let (near, far) = (place + Self.lookahead, place + 2 * Self.lookahead)
      if far < occurrences.count { readers.prefetchBounds(of: occurrences[far]) }
      if near < occurrences.count { readers.prefetchEvents(of: occurrences[near]) }
      readers[Int(occurrence.run)].pointee.skip(to: Int(occurrence.subject))
      sources |= 1 << UInt64(occurrence.run)
      guard occurrence.isLast else { continue }
      let count = areOneAfterAnother(sources) ? try concatenate(sources) : try join(sources)
      if count > 0 { try body(sequence(count, of: sources.trailingZeroBitCount)) }
      readers.leave(sources)
      sources = 0
    }
  }

  /// Returns the history in the buffer. Called instead of inlined, it would get a copy of this whole structure each time.
  @inline(__always)
  private func sequence(_ count: Int, of source: Int) throws(FunnelError) -> EventSequence {
    if let names { names.packed = try readers[source].pointee.readName() }
    return EventSequence(
      count: count, kinds: UnsafePointer(columns.kinds), times: UnsafePointer(columns.times),
      attempts: needsAttempts ? UnsafePointer(columns.attempts) : nil,
      rows: hasSegments ? UnsafePointer(columns.rows) : nil,
      measurements: hasMeasures
        ? EventMeasurements(starts: UnsafePointer(columns.measurements), all: UnsafePointer(measurements.base)) : nil,
      names: names)
  }

  /// Returns whether no group of a subject with these first and last times can count.
  @inline(__always)
  func isOutside(_ first: Int64, _ last: Int64) -> Bool {
    first >= question.until || last < question.since || first > question.now
  }
}
