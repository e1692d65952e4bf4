/// The layouts of the lines that came before: which fields they had, and how many tokens stood in front of each.
///
/// To read a line field by field is to wait for each before the next can be looked for. In a line whose layout was guessed right all fields
/// are at known tokens, and so is the next line: the processor works on many of them at once, and what is left is to see that they are there.
///
/// Nothing that is in is ever given up. Not to be shared between threads.
final class LineLayouts {
  typealias Reference = UnsafeMutablePointer<Layout>

  /// A line's fields.
  struct Layout {
    /// How many tokens the line has; 0 where nothing is known.
    let tokenCount: Int
    let segmentCount: Int
    let segments: UnsafeMutablePointer<Segment>
    /// The fields with a segment, and those that plain runs say, by ``KnownField/bit``.
    let fields: UInt32
  }

  /// A run and the value behind it.
  struct Segment {
    /// Tokens of the line in front of the run, in front of the value, and in front of the delimiter behind that.
    let start: Int
    let value: Int
    let end: Int
    /// What is done with the value.
    let field: KnownField
    /// Whether the run is a plain one of up to 16 bytes, whose bytes these are, with zeros behind them; and which of them count.
    let isPlain: Bool
    fileprivate let text: (UInt64, UInt64)
    fileprivate let mask: (UInt64, UInt64)
    /// How many bytes a plain run has.
    let textCount: Int
    /// Other runs that stood there, each at the place that the text says; ``FieldRuns/none`` where there was none.
    fileprivate let runs: UnsafeMutablePointer<FieldRuns.Reference>

    /// Whether the plain run stands at a place of a text with padding behind it.
    @inline(__always)
    func stands(at place: UnsafePointer<UInt8>) -> Bool {
      let place = UnsafeRawPointer(place)
      return (ByteWords.word(place) ^ text.0) & mask.0 | (ByteWords.word(place + 8) ^ text.1) & mask.1 == 0
    }

    /// Where the run is kept that stood there last in front of such a text.
    ///
    /// - Parameters:
    ///   - text: A text with padding behind it.
    ///   - tokens: The positions of its tokens, from the run's first on; what comes after the text's last is its length.
    @inline(__always)
    func run(_ text: UnsafePointer<UInt8>, _ tokens: UnsafePointer<UInt32>) -> UnsafeMutablePointer<FieldRuns.Reference> {
      // Mostly the comma behind the run's first value: values begin alike and end differently.
      let (first, comma) = (Int(tokens[0]), Int(tokens[4]))
      let end = ByteWords.word(UnsafeRawPointer(text) + max(comma &- 8, first))
      return runs + (LineLayouts.hash(end ^ UInt64(truncatingIfNeeded: comma &- first)) & (LineLayouts.runCount - 1))
    }
  }

  /// A run and the value behind it, as they stood in a line that was read.
  struct Trace {
    /// The token of the text its run begins with.
    var start: Int
    var run: FieldRuns.Reference
  }

  /// Most fields of a layout: no event has more.
  static let segmentsMax = KnownField.allCases.count
  /// How many layouts are tried, those of the last lines whose names ended alike.
  static let guessCount = 4
  private static let countMax = 64
  private static let slotCount = 64
  fileprivate static let runCount = 32

  private let noRun: FieldRuns.Reference
  private let layouts = Reference.allocate(capacity: countMax)
  private var count = 1
  private let guesses = UnsafeMutablePointer<Reference>.allocate(capacity: slotCount * guessCount)
  /// The fields of the line at hand.
  let trace = UnsafeMutablePointer<Trace>.allocate(capacity: segmentsMax)
  /// Tokens in front of the delimiter behind the name, in the line that was kept last.
  private var nameEnd = 0
  /// How often a line was of no layout that is kept, once there is no room for more; where that is very often, looking is given up.
  private var misses = 0
  /// Whether it is worth looking.
  private(set) var isUseful = true

  /// - Parameter noRun: A run that stands nowhere.
  init(noRun: FieldRuns.Reference) {
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

  /// The layouts a line may have, ``guessCount`` of them: those of the last lines whose names ended alike.
  ///
  /// - Parameters:
  ///   - text: A text with padding behind it.
  ///   - tokens: The positions of its tokens.
  ///   - first: The line's first token.
  ///   - tokenCount: How many tokens the text has.
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
    Int(truncatingIfNeeded: (word &* 0x9E37_79B9_7F4A_7C15) >> 56)
  }

  /// Keeps the layout of a line that was read, whose fields are in ``trace``.
  ///
  /// - Parameters:
  ///   - segmentCount: How many fields are in the trace.
  ///   - first: The line's first token.
  ///   - lineTokenCount: How many tokens the line has.
  ///   - tokenCount: How many tokens the text has.
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

  /// The layout of the line in ``trace``, nil where there is no room for it.
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
      let runs = UnsafeMutablePointer<FieldRuns.Reference>.allocate(capacity: run.isShortAndPlain ? 0 : Self.runCount)
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
