/// A cache of line layouts, which predict the token index of each field in a line.
///
/// A layout lists the fields of a line and the number of tokens before each. Without a prediction, a parser
/// must finish a field before it can find the next one. With a correct prediction, all fields and the end of
/// the line are at known tokens: the processor verifies many fields in parallel.
///
/// Entries are never evicted. Not thread-safe: each worker owns one.
final class LineLayouts {
  typealias Reference = UnsafeMutablePointer<Layout>

  /// The fields of a line.
  struct Layout {
    /// The number of tokens in the line, or 0 for the placeholder that matches no line.
    let tokenCount: Int
    let segmentCount: Int
    let segments: UnsafeMutablePointer<Segment>
    /// The fields that have a segment or are set by plain prefixes, as a set of ``KnownField/bit``.
    let fields: UInt32
  }

  /// A field prefix and the value that follows it.
  struct Segment {
    /// The number of tokens of the line before the prefix.
    let start: Int
    /// The number of tokens of the line before the value.
    let value: Int
    /// The number of tokens of the line before the delimiter that follows the value.
    let end: Int
    /// The field that the value belongs to.
    let field: KnownField
    /// Whether the prefix is plain and has up to 16 bytes. Then `text` and `mask` are used, `runs` otherwise.
    let isPlain: Bool
    /// The bytes of a plain prefix, padded with zeros.
    fileprivate let text: (UInt64, UInt64)
    /// The mask that selects the bytes of a plain prefix.
    fileprivate let mask: (UInt64, UInt64)
    /// The length of a plain prefix, in bytes.
    let textCount: Int
    /// A direct-mapped cache of the other prefixes that were found here. Unused slots contain ``FieldPrefixes/none``.
    fileprivate let runs: UnsafeMutablePointer<FieldPrefixes.Reference>

    /// Whether the bytes at an address are those of the plain prefix. 16 bytes must be readable there.
    @inline(__always)
    func stands(at address: UnsafePointer<UInt8>) -> Bool {
      let bytes = UnsafeRawPointer(address)
      return (ByteWords.word(bytes) ^ text.0) & mask.0 | (ByteWords.word(bytes + 8) ^ text.1) & mask.1 == 0
    }

    /// Returns the cache slot of the prefix at the first token. The slot contains the last prefix found here
    /// for a similar text.
    ///
    /// - Parameters:
    ///   - text: The text, followed by padding.
    ///   - tokens: The positions of its tokens, starting with the first of the prefix. The length of the text
    ///     follows the last one.
    @inline(__always)
    func run(_ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>) -> UnsafeMutablePointer<FieldPrefixes.Reference> {
      // The fifth token is mostly the comma after the first value. The end of the value is hashed: values have
      // common beginnings.
      let first = Int(tokens[0])
      let comma = Int(tokens[4])
      let end = ByteWords.word(UnsafeRawPointer(text) + max(comma &- 8, first))
      return runs + (LineLayouts.hash(end ^ UInt64(truncatingIfNeeded: comma &- first)) & (LineLayouts.runCount - 1))
    }
  }

  /// A field prefix that was found in a line. A value follows it.
  struct Trace {
    /// The index of the prefix's first token.
    var start: Int
    var run: FieldPrefixes.Reference
  }

  /// The maximum number of segments in a layout: one for each field of the envelope.
  static let segmentsMax = KnownField.allCases.count
  /// The number of layouts that are tried for a line.
  static let guessCount = 4
  /// The maximum number of cached layouts.
  private static let countMax = 64
  /// The number of slots for guesses, a power of two.
  private static let slotCount = 64
  /// The number of slots for prefixes in a segment, a power of two.
  fileprivate static let runCount = 32
  /// The number of misses after which lookups stop.
  private static let missesMax = 100_000

  private let noRun: FieldPrefixes.Reference
  private let layouts = Reference.allocate(capacity: countMax)
  /// The number of layouts, including the placeholder, which is the first.
  private var count = 1
  /// The last ``guessCount`` layouts of each slot, the most recent first. The slot is a hash of the last bytes
  /// of the event's name.
  private let guesses = UnsafeMutablePointer<Reference>.allocate(capacity: slotCount * guessCount)
  /// The field prefixes of the current line.
  let trace = UnsafeMutablePointer<Trace>.allocate(capacity: segmentsMax)
  /// The number of tokens before the delimiter that follows the name, in the line that was learned last.
  private var nameEnd = 0
  /// The number of lines that could not be cached because the cache was full.
  private var misses = 0
  /// Whether lookups are worthwhile: `false` after ``missesMax`` misses.
  private(set) var isUseful = true

  /// Creates an empty cache.
  ///
  /// - Parameter noRun: A prefix that matches no text.
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

  /// Returns ``guessCount`` layouts that a line may have: those of the last lines whose names have the same end.
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

  /// Returns an 8-bit hash of a word.
  @inline(__always)
  fileprivate static func hash(_ word: UInt64) -> Int {
    // Fibonacci hashing: the high bits of the product are the best mixed ones.
    Int(truncatingIfNeeded: (word &* 0x9E37_79B9_7F4A_7C15) >> 56)
  }

  /// Caches the layout of a line whose field prefixes are in ``trace``.
  ///
  /// - Parameters:
  ///   - text: The text, followed by padding.
  ///   - tokens: The positions of its tokens.
  ///   - segmentCount: The number of prefixes in the trace.
  ///   - first: The index of the line's first token.
  ///   - lineTokenCount: The number of tokens in the line.
  ///   - tokenCount: The number of tokens in the text.
  func learn(
    _ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>, segmentCount: Int, first: Int, lineTokenCount: Int,
    tokenCount: Int
  ) {
    guard let layout = layout(segmentCount: segmentCount, first: first, lineTokenCount: lineTokenCount) else {
      misses += 1
      if misses > Self.missesMax { isUseful = false }
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
    // The layout moves to the front. If it is new, the least recent guess is dropped.
    let guesses = guesses(text, tokens, first: first, tokenCount: tokenCount)
    var index = 0
    while index < Self.guessCount - 1, guesses[index] != layout { index += 1 }
    while index > 0 {
      guesses[index] = guesses[index - 1]
      index -= 1
    }
    guesses[0] = layout
  }

  /// Returns the cached layout of the line in ``trace``, adding it if it is new, or `nil` if the cache is full.
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
