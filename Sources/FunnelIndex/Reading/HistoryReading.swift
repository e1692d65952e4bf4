internal import FunnelModel

/// Reads the histories of one partition from one or several runs.
struct HistoryReading: ~Copyable {
  let question: IndexQuestion
  let runs: [IndexRun]
  let translations: [RunTranslation]
  /// The kind of each type, by run: accessing it through the translation would retain an object for each subject.
  let kindsOfTypes: UnsafeMutablePointer<UnsafePointer<UInt32>>
  /// The contents of each run's `props`, for reports that depend on nothing else; nil for other runs.
  let propsContents: UnsafeMutablePointer<PropsContents?>
  let meanings: Meanings
  /// Whether some codes are compound, or change dimension values.
  let hasParts: Bool
  var readers: SubjectReaders
  private let buffer: HistoryBuffer
  var columns: HistoryColumns { buffer.columns }
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
  mutating func readOne(_ body: (SubjectHistory) throws(FunnelError) -> Void) throws(FunnelError) {
    let reader = readers[0]
    // The reader is at its first subject already.
    repeat {
      let count = try translate(0)
      if count > 0 { try body(history(count, of: 0)) }
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
        if count > 0 { try body(history(count, of: source)) }
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
      if count > 0 { try body(history(count, of: sources.trailingZeroBitCount)) }
      readers.advance(sources, narrowedTo: shared)
    }
  }

  private func history(_ count: Int, of source: Int) throws(FunnelError) -> SubjectHistory {
    if let names { names.packed = try readers[source].pointee.readName() }
    return SubjectHistory(
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
