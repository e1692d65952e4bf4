/// The first rejected lines of an input, by file and line, however many threads read it.
///
/// Counting line breaks up front would slow the threads down, so a block does not know the number of its first line. Instead, the line's
/// position in its block and the line count of each block are kept, and ``refusals`` adds up the preceding blocks.
public struct FirstRejections: Hashable, Sendable {
  /// The maximum number of refusals kept: enough to recognize the problem, few enough to read.
  public static let countMax = 3

  private struct Entry: Hashable, Sendable {
    var fileNumber: Int
    var entryNumber = 0
    var byteOffset: Int
    /// The number of lines before this one in its block.
    var linesBefore: Int
    var refusal: Refusal

    func precedes(_ other: Entry) -> Bool {
      (fileNumber, entryNumber, byteOffset) < (other.fileNumber, other.entryNumber, other.byteOffset)
    }
  }

  private struct Block: Hashable, Sendable {
    var fileNumber: Int
    var entryNumber: Int
    var byteOffset: Int
    var lineCount: Int
  }

  /// The first entries of the input read so far, in order.
  private var entries: [Entry] = []
  private var blocks: [Block] = []

  public init() {}

  /// Adds a rejected line of a block that does not know its line numbers.
  mutating func add(_ reject: Rejection, at place: LineBlock.Place, in block: LineBlock.Place) {
    insert(
      Entry(
        fileNumber: place.fileNumber, entryNumber: place.entryNumber, byteOffset: place.byteOffset,
        linesBefore: place.line - block.line,
        refusal: Refusal(file: place.file, line: 0, reason: reject.reason, message: reject.message)))
  }

  /// Adds the line count of a block; nothing is added for a block without lines, or whose lines are numbered.
  mutating func noteBlock(_ place: LineBlock.Place, lineCount: Int) {
    guard lineCount > 0 else { return }
    blocks.append(
      Block(
        fileNumber: place.fileNumber, entryNumber: place.entryNumber, byteOffset: place.byteOffset, lineCount: lineCount))
  }

  /// Adds the next dead letter of an input that is read in order, in blocks that know their line numbers.
  mutating func add(_ letter: DeadLetter) {
    guard entries.count < Self.countMax else { return }
    entries.append(
      Entry(
        fileNumber: entries.count, byteOffset: 0, linesBefore: letter.line - 1,
        refusal: Refusal(file: letter.file, line: 0, reason: letter.reason, message: letter.message)))
  }

  /// Adds the lines that another thread collected.
  mutating func add(_ other: FirstRejections) {
    for entry in other.entries { insert(entry) }
    blocks += other.blocks
  }

  private mutating func insert(_ entry: Entry) {
    let place = entries.firstIndex { entry.precedes($0) } ?? entries.count
    guard place < Self.countMax else { return }
    entries.insert(entry, at: place)
    if entries.count > Self.countMax { entries.removeLast() }
  }

  /// The refusals in the order of the input, each with its line number.
  public var refusals: [Refusal] {
    entries.map { entry in
      var refusal = entry.refusal
      refusal.line = 1 + linesBeforeBlock(of: entry) + entry.linesBefore
      return refusal
    }
  }

  /// Returns the number of lines in the blocks before the one that contains an entry, which is the last one to begin at or before the
  /// entry.
  private func linesBeforeBlock(of entry: Entry) -> Int {
    let upToEntry = blocks.filter {
      $0.fileNumber == entry.fileNumber && $0.entryNumber == entry.entryNumber && $0.byteOffset <= entry.byteOffset
    }
    guard let own = upToEntry.map(\.byteOffset).max() else { return 0 }
    return upToEntry.reduce(0) { $0 + ($1.byteOffset < own ? $1.lineCount : 0) }
  }
}

extension FirstRejections {
  /// Compares the refusals only: the order in which blocks were read makes no difference.
  public static func == (left: FirstRejections, right: FirstRejections) -> Bool { left.refusals == right.refusals }

  public func hash(into hasher: inout Hasher) { hasher.combine(refusals) }
}
