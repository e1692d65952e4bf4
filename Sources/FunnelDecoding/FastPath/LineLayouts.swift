/// A cache of line layouts, which predict the token index of each field in a line.
///
/// A layout lists the fields of a line and the number of tokens before each. Without a prediction, a parser
/// must finish a field before it can find the next one. With a correct prediction, all fields and the end of
/// the line are at known tokens: the processor verifies many fields in parallel.
///
/// Entries are never evicted. Not thread-safe: each worker owns one.
final class LineLayouts {
  /// The fields of a line.
  struct Layout: BitwiseCopyable {
    /// The number of tokens in the line, or 0 for the placeholder that matches no line.
    let tokenCount: Int
    /// The field prefixes and values, in their order.
    let segments: Table<Segment>
    /// The fields that have a segment or are set by plain prefixes, as a set of ``KnownField/bit``.
    let fields: UInt32
  }

  /// A field prefix and the value that follows it.
  struct Segment: BitwiseCopyable {
    /// The number of tokens of the line before the prefix.
    let start: Int
    /// The number of tokens of the line before the value.
    let value: Int
    /// The number of tokens of the line before the delimiter that follows the value.
    let end: Int
    /// The field that the value belongs to.
    let field: KnownField
    /// Whether the prefix is plain and has up to 16 bytes. Then `text` and `mask` are used, `prefixes` otherwise.
    let isPlain: Bool
    /// The bytes of a plain prefix, padded with zeros.
    fileprivate let text: (UInt64, UInt64)
    /// The mask that selects the bytes of a plain prefix.
    fileprivate let mask: (UInt64, UInt64)
    /// The length of a plain prefix, in bytes.
    let textCount: Int
    /// A direct-mapped cache of the other prefixes that were found here. Unused slots contain ``FieldPrefixes/none``.
    fileprivate let prefixes: Table<Reference<FieldPrefix>>

    /// Whether the bytes at an offset of lines are those of the plain prefix.
    @inline(__always)
    func matches(_ lines: BlockText, at offset: Int) -> Bool {
      (lines.word(at: offset) ^ text.0) & mask.0 | (lines.word(at: offset &+ 8) ^ text.1) & mask.1 == 0
    }

    /// Returns the cached prefix for a token: the last one that was found here for a similar text.
    @inline(__always)
    func prefix(in batch: LineBatch, at token: Int) -> Reference<FieldPrefix> { prefixes[Self.slot(in: batch, at: token)] }

    /// Caches a prefix that was found at a token.
    fileprivate func note(_ prefix: Reference<FieldPrefix>, in batch: LineBatch, at token: Int) {
      prefixes[Self.slot(in: batch, at: token)] = prefix
    }

    /// Returns the index in ``prefixes`` for a prefix that begins at a token.
    @inline(__always)
    private static func slot(in batch: LineBatch, at token: Int) -> Int {
      // The fifth token is mostly the comma after the first value. The end of the value is hashed: values have
      // common beginnings.
      let first = batch.offset(ofToken: token)
      let comma = batch.offset(ofToken: token &+ 4)
      let end = batch.text.word(at: max(comma &- 8, first))
      return LineLayouts.hash(end ^ UInt64(truncatingIfNeeded: comma &- first)) & (LineLayouts.prefixCount - 1)
    }
  }

  /// A field prefix that was found in a line. A value follows it.
  struct Trace: BitwiseCopyable {
    /// The index of the prefix's first token.
    var start: Int
    var prefix: Reference<FieldPrefix>
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
  fileprivate static let prefixCount = 32
  /// The number of misses after which lookups stop.
  private static let missesMax = 100_000

  private let arena = Arena()
  private let noPrefix: Reference<FieldPrefix>
  private let layouts: Table<Layout>
  /// The number of layouts, including the placeholder, which is the first.
  private var count = 1
  /// The last ``guessCount`` layouts of each slot, the most recent first. The slot is a hash of the last bytes
  /// of the event's name.
  private let guesses: Table<Reference<Layout>>
  /// The field prefixes of the current line.
  let trace: Table<Trace>
  /// The number of tokens before the delimiter that follows the name, in the line that was learned last.
  private var nameEnd = 0
  /// The number of lines that could not be cached because the cache was full.
  private var misses = 0
  /// Whether lookups are worthwhile: `false` after ``missesMax`` misses.
  private(set) var isUseful = true

  /// Creates an empty cache.
  ///
  /// - Parameter noPrefix: A prefix that matches no text.
  init(noPrefix: Reference<FieldPrefix>) {
    self.noPrefix = noPrefix
    layouts = arena.table(count: Self.countMax)
    layouts[0] = Layout(tokenCount: 0, segments: arena.table(count: 0), fields: 0)
    guesses = arena.table(repeating: layouts.reference(to: 0), count: Self.slotCount * Self.guessCount)
    trace = arena.table(repeating: Trace(start: 0, prefix: noPrefix), count: Self.segmentsMax)
  }

  /// Returns ``guessCount`` layouts that a line may have: those of the last lines whose names have the same end.
  ///
  /// - Parameters:
  ///   - batch: The lines.
  ///   - first: The first token of the line.
  @inline(__always)
  func guesses(in batch: LineBatch, at first: Int) -> Table<Reference<Layout>> {
    let end = batch.offset(ofToken: min(first &+ nameEnd, batch.tokenCount))
    let word = batch.text.word(at: max(end &- 8, batch.offset(ofToken: first)))
    let slot = (Self.hash(word) & (Self.slotCount - 1)) &* Self.guessCount
    return guesses[slot..<slot &+ Self.guessCount]
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
  ///   - batch: The lines.
  ///   - tokens: The tokens of the line.
  ///   - segmentCount: The number of prefixes in the trace.
  func learn(_ batch: LineBatch, _ tokens: Range<Int>, segmentCount: Int) {
    guard let layout = layout(of: tokens, segmentCount: segmentCount) else {
      misses += 1
      if misses > Self.missesMax { isUseful = false }
      return
    }
    for index in 0..<segmentCount {
      let seen = trace[index]
      let segment = layout.value.segments[index]
      if !segment.isPlain { segment.note(seen.prefix, in: batch, at: seen.start) }
      guard let end = seen.prefix.value.nameEnd else { continue }
      let prefixEnd = seen.start + seen.prefix.value.tokenCount
      let offset = batch.offset(ofToken: seen.start) + end
      nameEnd = ((seen.start..<prefixEnd).first { batch.offset(ofToken: $0) > offset } ?? prefixEnd) - tokens.lowerBound
    }
    // The layout moves to the front. If it is new, the least recent guess is dropped.
    let guesses = guesses(in: batch, at: tokens.lowerBound)
    var index = 0
    while index < Self.guessCount - 1, guesses[index] != layout { index += 1 }
    while index > 0 {
      guesses[index] = guesses[index - 1]
      index -= 1
    }
    guesses[0] = layout
  }

  /// Returns the cached layout of the line in ``trace``, adding it if it is new, or `nil` if the cache is full.
  private func layout(of tokens: Range<Int>, segmentCount: Int) -> Reference<Layout>? {
    let known = (0..<count).first { isLayout(layouts[$0], of: tokens, segmentCount: segmentCount) }
    if let known { return layouts.reference(to: known) }
    guard count < Self.countMax else { return nil }
    let segments = arena.table(of: Segment.self, count: segmentCount)
    var fields: UInt32 = 0
    for index in 0..<segmentCount {
      let prefix = trace[index].prefix.value
      let start = trace[index].start - tokens.lowerBound
      let end = index + 1 < segmentCount ? trace[index + 1].start - tokens.lowerBound : tokens.count - 1
      fields |= prefix.next.bit | (prefix.isShortAndPlain ? prefix.fields : 0)
      segments[index] = Segment(
        start: start, value: start + prefix.tokenCount, end: end, field: prefix.next, isPlain: prefix.isShortAndPlain,
        text: prefix.words, mask: prefix.wordMasks, textCount: prefix.textCount,
        prefixes: arena.table(repeating: noPrefix, count: prefix.isShortAndPlain ? 0 : Self.prefixCount))
    }
    layouts[count] = Layout(tokenCount: tokens.count, segments: segments, fields: fields)
    count += 1
    return layouts.reference(to: count - 1)
  }

  /// Whether a layout is that of the line in ``trace``.
  private func isLayout(_ layout: Layout, of tokens: Range<Int>, segmentCount: Int) -> Bool {
    guard layout.tokenCount == tokens.count, layout.segments.count == segmentCount else { return false }
    return (0..<segmentCount).allSatisfy { index in
      let segment = layout.segments[index]
      let prefix = trace[index].prefix.value
      let start = trace[index].start - tokens.lowerBound
      return segment.start == start && segment.value == start + prefix.tokenCount && segment.field == prefix.next
        && segment.isPlain == prefix.isShortAndPlain
    }
  }
}
