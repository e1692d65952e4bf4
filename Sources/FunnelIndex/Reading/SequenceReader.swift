internal import FunnelModel

/// A reader for the event sequences of one partition of one or several sorted runs.
struct SequenceReader: ~Copyable {
  let request: IndexRequest
  let runs: [SortedRun]
  /// The translation of each run.
  let translations: [RunTranslation]
  /// For each run the table ``RunTranslation/classIDs``. Access through the translation would retain an object for
  /// each subject.
  let classIDsOfTypes: UniqueArray<BorrowedColumn<UInt32>>
  /// For each run the translation of its `props` codes if the report depends only on types, times and `props`,
  /// otherwise `nil`.
  let propsContents: UniqueArray<PropsContents?>
  let flowMatchTable: FlowMatchTable
  /// Whether some event class IDs are compound, or some flows change properties.
  let hasParts: Bool
  /// The reader of each run.
  var readers: SubjectReaders
  private let buffer: SequenceBuffer
  /// The columns of the current sequence.
  var columns: SequenceColumns { buffer.columns }
  /// Scratch space for the rows of a subject in several runs.
  var events = UniqueArray<StoredRow>(capacity: 256)
  /// Scratch space for the IDs of one reader's events.
  var identified = UniqueArray<StoredRow>(capacity: 16)
  /// Scratch space for the user numbers of one reader's events.
  var numbers = UniqueArray<UInt32>(capacity: 16)
  /// The measurements of the current subject's events.
  var measurements = UniqueArray<Measurement>()
  /// Whether the report has stored dimensions.
  let hasSegments: Bool
  /// Whether the report uses measurements and a run has some.
  let hasMeasures: Bool
  /// Whether the report needs the hashes of attempts.
  let needsAttempts: Bool
  /// Whether the report depends only on types and times.
  let isPlain: Bool
  /// The name of the current subject; `nil` if the report does not need names.
  private let names: IndexedNames?

  /// The number of subjects by which memory is prefetched in advance: about as many as are read during one
  /// access to main memory.
  private static let lookahead = 16

  /// Creates a reader. The arrays have one element for each of `readers`.
  init(
    request: IndexRequest, runs: [SortedRun], translations: [RunTranslation], flowMatchTable: FlowMatchTable,
    readers: consuming SubjectReaders
  ) {
    self.request = request
    self.runs = runs
    self.translations = translations
    self.flowMatchTable = flowMatchTable
    hasParts = flowMatchTable.eventClasses.partsMax > 1 || !flowMatchTable.changedRows.isEmpty
    buffer = SequenceBuffer(capacity: readers.eventsMax * flowMatchTable.eventClasses.partsMax)
    hasSegments = !request.dimensions.isEmpty
    hasMeasures = translations.contains { $0.measures != nil }
    needsAttempts = translations.contains { $0.needsAttempts }
    isPlain = translations.allSatisfy(\.isPlain)
    names = request.needs.subjects ? IndexedNames() : nil
    self.readers = readers
    classIDsOfTypes = UniqueArray(translations.map(\.classIDs.numbers))
    let needsAttempts = needsAttempts
    propsContents = UniqueArray(translations.map { needsAttempts ? nil : $0.propsContents })
  }

  /// Passes the event sequences of the only run to `body`.
  ///
  /// - Parameter regrouped: The subjects to leave out.
  mutating func readOne(
    leavingOut regrouped: [SharedSubjects.Occurrence], _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    // The reader is already at its first subject.
    guard regrouped.isEmpty else { return try readUnshared(0, regrouped.map(\.subject), body) }
    repeat {
      let count = try translate(0)
      if count > 0 { try body(sequence(count, of: ReaderSet(0))) }
    } while readers[0].next()
  }

  /// Passes the event sequences of all runs to `body`: first those of subjects that are in one run only, run by
  /// run, then those of shared subjects.
  ///
  /// - Parameter regrouped: The subjects to leave out.
  mutating func readAll(
    leavingOut regrouped: [SharedSubjects.Occurrence], _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    let shared = readers.sharedSubjects()
    var skippingReaders = SubjectReaders(skipping: readers)
    let leftOut = regrouped.isEmpty ? nil : SkippedSubjects(regrouped, runs: readers.count)
    for source in 0..<readers.count {
      let indices = shared.indices(inRun: source)
      try readUnshared(source, leftOut?.adding(indices, ofRun: source) ?? indices, body)
    }
    swap(&readers, &skippingReaders)
    try readShared(leftOut?.remaining(of: shared.occurrences) ?? shared.occurrences, body)
  }

  /// Passes the event sequences of a run's unshared subjects to `body`.
  ///
  /// - Parameter shared: The indices of the shared subjects and of those that are left out, ascending.
  private mutating func readUnshared(
    _ source: Int, _ shared: [UInt32], _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    var nextShared = 0
    repeat {
      if nextShared < shared.count, readers[source].plain.subject == Int(shared[nextShared]) {
        readers[source].skip()
        nextShared += 1
        continue
      }
      let count = try translate(source)
      if count > 0 { try body(sequence(count, of: ReaderSet(source))) }
    } while readers[source].next()
  }

  /// Passes the event sequences of the shared subjects to `body`.
  private mutating func readShared(
    _ occurrences: [SharedSubjects.Occurrence], _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    var sources = ReaderSet()
    for (index, occurrence) in occurrences.enumerated() {
      // These subjects are far apart in memory. Without prefetching, cache misses take most of the time.
      let near = index + Self.lookahead
      let far = index + 2 * Self.lookahead
      if far < occurrences.count { readers.prefetchBounds(of: occurrences[far]) }
      if near < occurrences.count { readers.prefetchEvents(of: occurrences[near]) }
      readers[Int(occurrence.run)].skip(to: Int(occurrence.subject))
      sources.insert(Int(occurrence.run))
      guard occurrence.isLast else { continue }
      let count = areOneAfterAnother(sources) ? try concatenate(sources) : try join(sources)
      if count > 0 { try body(sequence(count, of: sources)) }
      readers.leave(sources)
      sources = ReaderSet()
    }
  }

  // Inlined, because a call would copy this whole structure.
  /// Returns the event sequence in the buffer.
  ///
  /// - Parameter sources: The readers that are at the subject.
  @inline(__always)
  private mutating func sequence(_ count: Int, of sources: ReaderSet) throws(FunnelError) -> EventSequence {
    if let names {
      names.packed = try readers[sources.first].readName()
      names.user = try user(in: sources)
    }
    return columns.sequence(
      ofFirst: count, hasAttempts: needsAttempts, hasRows: hasSegments,
      measurements: hasMeasures ? measurements.elements : nil, names: names)
  }

  /// Returns the user of the current subject of some readers, or `nil` if its events have none. A subject with several users
  /// is not read here: its events are gathered.
  private func user(in sources: ReaderSet) throws(FunnelError) -> PackedID? {
    for source in sources {
      let users = readers[source].users
      if let user = users.users(ofSubject: readers[source].plain.subject).first { return try readers[source].readUser(user) }
    }
    return nil
  }

  /// Returns whether a subject with these first and last event times is outside the query's period, so none of
  /// its groups is counted.
  @inline(__always)
  func isOutside(_ first: Int64, _ last: Int64) -> Bool {
    first >= request.until || last < request.since || first > request.now
  }
}

/// The subjects that a reader leaves out.
private struct SkippedSubjects {
  /// For each run the indices of the subjects, ascending.
  private var indicesOfRuns: [[UInt32]]

  init(_ occurrences: [SharedSubjects.Occurrence], runs: Int) {
    indicesOfRuns = Array(repeating: [], count: runs)
    for occurrence in occurrences { indicesOfRuns[Int(occurrence.run)].append(occurrence.subject) }
  }

  /// Returns the given subjects of a run and those that are left out, ascending.
  func adding(_ indices: [UInt32], ofRun run: Int) -> [UInt32] { Set(indices + indicesOfRuns[run]).sorted() }

  /// Returns the occurrences of the subjects that are not left out.
  func remaining(of occurrences: [SharedSubjects.Occurrence]) -> [SharedSubjects.Occurrence] {
    let sets = indicesOfRuns.map(Set.init)
    return occurrences.filter { !sets[Int($0.run)].contains($0.subject) }
  }
}

/// The name of the current subject of a reader, decoded on first use. One object serves all subjects of a partition.
final class IndexedNames: SequenceNames {
  /// The packed name of the current subject; `nil` before the first subject.
  var packed: PackedID? {
    didSet { text = nil }
  }
  /// The packed user of the current subject; `nil` if its events have none, or if the report does not count persons.
  var user: PackedID?
  /// The decoded name; `nil` until it is first used.
  private var text: String?

  var subject: String {
    if let text { return text }
    let decoded = packed?.string ?? ""
    text = decoded
    return decoded
  }

  var person: String { user?.string ?? subject }
  var aliases: [String] { (user.map { [$0.string] } ?? []) + [subject] }

  // The index has only the hashes of attempts. A query that needs their texts reads the log.
  func attempt(ofEvent index: Int) -> String? { nil }
}
