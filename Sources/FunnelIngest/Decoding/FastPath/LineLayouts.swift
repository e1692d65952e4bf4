/// A cache of the layouts of earlier lines: which fields they had, and how many tokens were in front of each.
///
/// Reading a line field by field means waiting for each field before the next can be found. If the layout of a line was predicted
/// correctly, all its fields are at known tokens, and so is the next line. The processor then works on many fields at once, and it only
/// remains to verify them.
///
/// Entries are never evicted. Not to be shared between threads.
final class LineLayouts {
  typealias Reference = UnsafeMutablePointer<Layout>

  /// The fields of a line.
  struct Layout {
    /// The number of tokens in the line; 0 for the placeholder that matches no line.
    let tokenCount: Int
    let segmentCount: Int
    let segments: UnsafeMutablePointer<Segment>
    /// The fields that have a segment or are set by plain runs, as a set of ``KnownField/bit``.
    let fields: UInt32
  }

  /// A run and the value that follows it.
  struct Segment {
    /// The number of tokens of the line in front of the run, the value, and the delimiter behind the value.
    let start: Int
    let value: Int
    let end: Int
    /// The field the value belongs to.
    let field: KnownField
    /// Whether the run is a plain one of up to 16 bytes. If so, `text` contains its bytes, padded with zeros, and `mask` selects them.
    let isPlain: Bool
    fileprivate let text: (UInt64, UInt64)
    fileprivate let mask: (UInt64, UInt64)
    /// The length of a plain run, in bytes.
    let textCount: Int
    /// The table of runs, other than plain ones, that were found here; unused slots are ``FieldPrefixes/none``.
    fileprivate let runs: UnsafeMutablePointer<FieldPrefixes.Reference>

    /// Returns whether the bytes at a place are those of the plain run. Padding must follow them.
    @inline(__always)
    func stands(at place: UnsafePointer<UInt8>) -> Bool {
      let place = UnsafeRawPointer(place)
      return (ByteWords.word(place) ^ text.0) & mask.0 | (ByteWords.word(place + 8) ^ text.1) & mask.1 == 0
    }

    /// Returns the slot for the run at the beginning of a text. It contains the run last found there for such a text.
    ///
    /// - Parameters:
    ///   - text: The text, followed by padding.
    ///   - tokens: The positions of its tokens, starting with the first of the run; the last is followed by the length of the text.
    @inline(__always)
    func run(_ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>) -> UnsafeMutablePointer<FieldPrefixes.Reference> {
      // This is mostly the comma behind the run's first value. Its end is hashed, because values begin alike and end differently.
      let (first, comma) = (Int(tokens[0]), Int(tokens[4]))
      let end = ByteWords.word(UnsafeRawPointer(text) + max(comma &- 8, first))
      return runs + (LineLayouts.hash(end ^ UInt64(truncatingIfNeeded: comma &- first)) & (LineLayouts.runCount - 1))
    }
  }

  /// A run and the value that follows it, as found in a line.
  struct Trace {
    /// The index of the token that begins the run.
    var start: Int
    var run: FieldPrefixes.Reference
  }

  /// The maximum number of fields in a layout: no event has more.
  static let segmentsMax = KnownField.allCases.count
  /// The number of layouts tried: those of the last lines whose names ended alike.
  static let guessCount = 4
  private static let countMax = 64
  private static let slotCount = 64
  fileprivate static let runCount = 32

  private let noRun: FieldPrefixes.Reference
  private let layouts = Reference.allocate(capacity: countMax)
  private var count = 1
  private let guesses = UnsafeMutablePointer<Reference>.allocate(capacity: slotCount * guessCount)
  /// The fields of the current line.
  let trace = UnsafeMutablePointer<Trace>.allocate(capacity: segmentsMax)
  /// The number of tokens in front of the delimiter behind the name, in the line whose layout was noted last.
  private var nameEnd = 0
  /// The number of lines without a cached layout, once the cache is full. If it is very large, lookups stop.
  private var misses = 0
  /// Whether lookups are worthwhile.
  private(set) var isUseful = true

  /// Creates an empty cache.
  ///
  /// - Parameter noRun: A run that matches nowhere.
  init(noRun: FieldPrefixes.Reference) {
    self.noRun = noRun
    layouts.initialize(to: Layout(tokenCount: 0, segmentCount: 0, segments: .allocate(capacity: 1), fields: 0))
    guesses.initialize(repeating: layouts, count: Self.slotCount * Self.guessCount)
  }

  deinit {
    for index in 0..<count {
      let layout = layouts[index]
      for segment in 0..<layout.segmentCount { layout.segments[segment].runs.deallocate() }
      layout.segments.deallocate()
    }
    layouts.deallocate()
    guesses.deallocate()
    trace.deallocate()
  }

  /// Returns the layouts a line may have, ``guessCount`` of them: those of the last lines whose names ended alike.
  ///
  /// - Parameters:
  ///   - text: The text, followed by padding.
  ///   - tokens: The positions of its tokens.
  ///   - first: The index of the line's first token.
  ///   - tokenCount: The number of tokens in the text.
  @inline(__always)
  func guesses(
    _ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>, first: Int, tokenCount: Int
  ) -> UnsafeMutablePointer<Reference> {
    let end = Int(tokens[min(first &+ nameEnd, tokenCount)])
    let word = ByteWords.word(UnsafeRawPointer(text) + max(end &- 8, Int(tokens[first])))
    return guesses + (Self.hash(word) & (Self.slotCount - 1)) &* Self.guessCount
  }

  @inline(__always)
  fileprivate static func hash(_ word: UInt64) -> Int {
    // Fibonacci hashing: the highest 8 bits of the product; callers mask them.
    Int(truncatingIfNeeded: (word &* 0x9E37_79B9_7F4A_7C15) >> 56)
  }

  /// Caches the layout of a line whose fields are in ``trace``.
  ///
  /// - Parameters:
  ///   - segmentCount: The number of fields in the trace.
  ///   - first: The index of the line's first token.
  ///   - lineTokenCount: The number of tokens in the line.
  ///   - tokenCount: The number of tokens in the text.
  func learn(
    _ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>, segmentCount: Int, first: Int, lineTokenCount: Int,
    tokenCount: Int
  ) {
    guard let layout = layout(segmentCount: segmentCount, first: first, lineTokenCount: lineTokenCount) else {
      misses += 1
      if misses > 100_000 { isUseful = false }
      return
    }
    for index in 0..<segmentCount {
      let seen = trace[index]
      let segment = layout.pointee.segments[index]
      if !segment.isPlain { segment.run(text, tokens + seen.start).pointee = seen.run }
      guard let end = seen.run.pointee.nameEnd else { continue }
      let runEnd = seen.start + seen.run.pointee.tokenCount
      nameEnd = (seen.start..<runEnd).first { Int(tokens[$0]) > Int(tokens[seen.start]) + end } ?? runEnd
      nameEnd -= first
    }
    let guesses = guesses(text, tokens, first: first, tokenCount: tokenCount)
    var place = 0
    while place < Self.guessCount - 1, guesses[place] != layout { place += 1 }
    while place > 0 {
      guesses[place] = guesses[place - 1]
      place -= 1
    }
    guesses[0] = layout
  }

  /// Returns the layout of the line in ``trace``, or nil if there is no room for it.
  private func layout(segmentCount: Int, first: Int, lineTokenCount: Int) -> Reference? {
    func start(_ index: Int) -> Int { (index < segmentCount ? trace[index].start - first : lineTokenCount - 1) }
    for known in 0..<count {
      let layout = layouts[known]
      guard layout.tokenCount == lineTokenCount, layout.segmentCount == segmentCount else { continue }
      let isThis = (0..<segmentCount).allSatisfy { index in
        let segment = layout.segments[index]
        let run = trace[index].run.pointee
        return segment.start == start(index) && segment.value == start(index) + run.tokenCount && segment.field == run.next
          && segment.isPlain == run.isShortAndPlain
      }
      if isThis { return layouts + known }
    }
    guard count < Self.countMax else { return nil }
    let segments = UnsafeMutablePointer<Segment>.allocate(capacity: segmentCount)
    var fields: UInt32 = 0
    for index in 0..<segmentCount {
      let run = trace[index].run.pointee
      fields |= run.next.bit | (run.isShortAndPlain ? run.fields : 0)
      let runs = UnsafeMutablePointer<FieldPrefixes.Reference>.allocate(capacity: run.isShortAndPlain ? 0 : Self.runCount)
      if !run.isShortAndPlain { runs.initialize(repeating: noRun, count: Self.runCount) }
      (segments + index).initialize(
        to: Segment(
          start: start(index), value: start(index) + run.tokenCount, end: start(index + 1), field: run.next,
          isPlain: run.isShortAndPlain, text: run.words, mask: run.wordMasks, textCount: run.textCount, runs: runs))
    }
    (layouts + count).initialize(
      to: Layout(tokenCount: lineTokenCount, segmentCount: segmentCount, segments: segments, fields: fields))
    count += 1
    return layouts + (count - 1)
  }
}
