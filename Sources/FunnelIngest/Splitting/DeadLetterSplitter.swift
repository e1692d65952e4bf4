import FunnelDecoding
import FunnelModel

/// Splits a file of dead letters, which `funnel collect` writes, into blocks. Its memory is bounded.
///
/// A line that is no dead letter is passed on as a line of the input.
struct DeadLetterSplitter: RecordSplitter {
  /// The position of the first byte of `pending`.
  private var place: LineBlock.Place
  /// The bytes that were read and are not in a block yet.
  private var pending: [UInt8] = []
  private let blockBytesTarget: Int

  /// The longest dead letter: its text has at most ``Limits/deadLetterRawBytesMax`` bytes, of which each takes up to six
  /// bytes in JSON, and as much again is left for the other fields.
  private static let lineBytesMax = 12 * Limits.deadLetterRawBytesMax
  /// The number of bytes that are read at once.
  private static let readBytes = 1 << 18

  /// Creates a splitter for the bytes of one file.
  init(_ context: SplitterContext) {
    place = context.place
    blockBytesTarget = context.blockBytesTarget
  }

  /// Returns whether the first line of a text is a dead letter.
  ///
  /// - Parameter beginning: Returns the first `count` bytes of the text, or all bytes if there are fewer.
  static func canSplit<Beginning: Collection<UInt8>, Failure: Error>(
    _ beginning: (_ count: Int) throws(Failure) -> Beginning
  ) throws(Failure) -> Bool {
    // Most first lines are short, so the longest is not read at once.
    var count = 1 << 16
    while true {
      let bytes = try beginning(count)
      if let end = bytes.firstIndex(of: Byte.lineFeed) { return DeadLetter.parse(Array(bytes[..<end])) != nil }
      if bytes.count < count { return DeadLetter.parse(Array(bytes)) != nil }
      guard count < lineBytesMax else { return false }
      count *= 4
    }
  }

  mutating func readOn(_ read: BlockFiller) throws(FunnelError) -> [LineBlock]? {
    let before = pending.count
    try pending.append(addingCapacity: Self.readBytes) { (output) throws(FunnelError) in try read(&output) }
    guard pending.count > before else { return nil }
    guard pending.count >= blockBytesTarget, let end = pending.lastIndex(of: Byte.lineFeed) else {
      // A line without end is no dead letter. It is passed on in pieces, each of which is rejected.
      return pending.count > Self.lineBytesMax ? takeLines(pending.count) : []
    }
    return takeLines(end + 1)
  }

  mutating func finish(damage: Rejection?) -> [LineBlock] {
    var blocks = takeLines(pending.count)
    if let damage { blocks.append(LineBlock(place: place, content: .damagedTail(damage), bytes: [])) }
    return blocks
  }

  func close() {}

  /// Removes the first bytes, which are whole lines, and returns their blocks.
  private mutating func takeLines(_ byteCount: Int) -> [LineBlock] {
    var blocks: [LineBlock] = []
    var letters: [DeadLetter] = []
    var first = place
    func takeLetters() {
      guard !letters.isEmpty else { return }
      blocks.append(LineBlock(place: first, content: .deadLetters(letters), bytes: []))
      letters = []
    }
    for line in pending[..<byteCount].split(separator: Byte.lineFeed, omittingEmptySubsequences: false) {
      if let letter = DeadLetter.parse(Array(line))?.letter {
        if letters.isEmpty { first = place }
        letters.append(letter)
      } else if !line.isEmpty {
        takeLetters()
        blocks.append(LineBlock(place: place, content: .lines, bytes: line))
      }
      place.line += 1
      place.byteOffset += line.count + 1
    }
    takeLetters()
    // Behind the last line feed there is no other line.
    place.line -= 1
    place.byteOffset -= 1
    pending.removeFirst(byteCount)
    return blocks
  }
}
