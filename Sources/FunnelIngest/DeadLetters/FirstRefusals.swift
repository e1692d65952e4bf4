/// The first refused lines of an input, by file and line, however many threads read it.
///
/// Counting line breaks would slow the threads down, so a block does not know at which line of its file it begins. What is kept instead is
/// the place of a refused line in its block, and how many lines each block had: ``refusals`` adds up the blocks in front.
public struct FirstRefusals: Hashable, Sendable {
  /// How many refusals are kept: enough to see what is wrong, few enough to be read.
  public static let countMax = 3

  private struct Entry: Hashable, Sendable {
    var fileNumber: Int
    var byteOffset: Int
    /// Lines in front of it in its block.
    var linesBefore: Int
    var refusal: Refusal

    func precedes(_ other: Entry) -> Bool { (fileNumber, byteOffset) < (other.fileNumber, other.byteOffset) }
  }

  private struct Block: Hashable, Sendable {
    var fileNumber: Int
    var byteOffset: Int
    var lineCount: Int
  }

  /// The first entries of what was read so far, in order.
  private var entries: [Entry] = []
  private var blocks: [Block] = []

  public init() {}

  /// Takes in a refused line of a block that does not know its line.
  mutating func add(_ reject: Reject, at place: LineBlock.Place, in block: LineBlock.Place) {
    insert(
      Entry(
        fileNumber: place.fileNumber, byteOffset: place.byteOffset, linesBefore: place.line - block.line,
        refusal: Refusal(file: place.file, line: 0, reason: reject.reason, message: reject.message)))
  }

  /// Takes in how many lines a block had.
  mutating func noteBlock(_ place: LineBlock.Place, lineCount: Int) {
    blocks.append(Block(fileNumber: place.fileNumber, byteOffset: place.byteOffset, lineCount: lineCount))
  }

  /// Takes in the next dead letter of an input that is read in order, by blocks that know their lines.
  mutating func add(_ letter: DeadLetter) {
    guard entries.count < Self.countMax else { return }
    entries.append(
      Entry(
        fileNumber: entries.count, byteOffset: 0, linesBefore: letter.line - 1,
        refusal: Refusal(file: letter.file, line: 0, reason: letter.reason, message: letter.message)))
  }

  /// Takes in what another thread read.
  mutating func add(_ other: FirstRefusals) {
    for entry in other.entries { insert(entry) }
    blocks += other.blocks
  }

  private mutating func insert(_ entry: Entry) {
    let place = entries.firstIndex { entry.precedes($0) } ?? entries.count
    guard place < Self.countMax else { return }
    entries.insert(entry, at: place)
    if entries.count > Self.countMax { entries.removeLast() }
  }

  /// The refusals in the order of the input, each with its line.
  public var refusals: [Refusal] {
    entries.map { entry in
      var refusal = entry.refusal
      refusal.line = 1 + linesBeforeBlock(of: entry) + entry.linesBefore
      return refusal
    }
  }

  /// The lines of the blocks in front of the one that an entry stands in: that is the last that begins at the entry or before it.
  private func linesBeforeBlock(of entry: Entry) -> Int {
    let upToEntry = blocks.filter { $0.fileNumber == entry.fileNumber && $0.byteOffset <= entry.byteOffset }
    guard let own = upToEntry.map(\.byteOffset).max() else { return 0 }
    return upToEntry.reduce(0) { $0 + ($1.byteOffset < own ? $1.lineCount : 0) }
  }
}

extension FirstRefusals {
  /// By the refusals alone: in which order blocks were read makes no difference.
  public static func == (left: FirstRefusals, right: FirstRefusals) -> Bool { left.refusals == right.refusals }

  public func hash(into hasher: inout Hasher) { hasher.combine(refusals) }
}
