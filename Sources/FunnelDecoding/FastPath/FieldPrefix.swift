/// A cached field prefix (``FieldPrefixes``). Its text and mask are in the memory of the cache.
struct FieldPrefix: BitwiseCopyable {
  /// The length of the text, in bytes.
  let textCount: Int
  /// The text, followed by ``headBytes`` zeros.
  fileprivate let text: Table<UInt8>
  /// A byte mask of ``headBytes`` bytes that selects those of the text.
  fileprivate let mask: Table<UInt8>
  /// The prefix that followed this one last time, which predicts the next one.
  var successor: Reference<FieldPrefix>
  /// The number of the prefix among those that are not plain, from 1, or 0 for a plain prefix.
  let number: UInt64
  /// The hash of the text by which the cache finds the prefix. 0 for a plain prefix.
  let hash: UInt64
  /// The number of tokens, from the first delimiter to the last colon.
  let tokenCount: Int
  /// The fields whose values the prefix contains, as a set of ``KnownField/bit``.
  let fields: UInt32
  /// The field whose key ends the prefix and whose value follows it.
  let next: KnownField
  // The values, which are parts of the text. `nil` if they are not in `fields`.
  fileprivate let name: PaddedText?
  fileprivate let app: PaddedText?
  fileprivate let flow: PaddedText?
  fileprivate let step: PaddedText?
  fileprivate let flowVersion: Int64?

  /// The number of bytes at the beginning of a prefix that are compared under a mask: six vectors of 16 bytes.
  static let headBytes = 96

  init(
    textCount: Int, text: Table<UInt8>, mask: Table<UInt8>, successor: Reference<FieldPrefix>, number: UInt64, hash: UInt64,
    tokenCount: Int, fields: UInt32, next: KnownField, name: PaddedText?, app: PaddedText?, flow: PaddedText?,
    step: PaddedText?,
    flowVersion: Int64?
  ) {
    precondition(text.count == textCount + Self.headBytes, "zeros follow the text")
    precondition(mask.count == Self.headBytes, "the mask has the size of the head")
    self.textCount = textCount
    self.text = text
    self.mask = mask
    self.successor = successor
    self.number = number
    self.hash = hash
    self.tokenCount = tokenCount
    self.fields = fields
    self.next = next
    self.name = name
    self.app = app
    self.flow = flow
    self.step = step
    self.flowVersion = flowVersion
  }

  /// Whether the prefix is plain and fits into two words.
  var isShortAndPlain: Bool { number == 0 && textCount <= 16 }

  /// The first two words of the text, padded with zeros.
  var words: (UInt64, UInt64) { (text.word(at: 0), text.word(at: 8)) }

  /// The masks of the bytes of ``words`` that belong to the text.
  var wordMasks: (UInt64, UInt64) { (mask.word(at: 0), mask.word(at: 8)) }

  /// The end offset of the event's name in the text, or `nil` if the prefix does not contain the name.
  var nameEnd: Int? { name.map { text.text(at: 0, count: textCount).offset(of: $0) + $0.count } }

  /// Whether the bytes at an offset of lines are those of the prefix.
  @inline(__always)
  func matches(_ lines: BlockText, at offset: Int) -> Bool {
    // The first 96 bytes, more than most prefixes have, are compared under a mask. A branch for each length
    // would be mispredicted.
    guard !ByteWords.hasBits(differences(lines, offset, 0)) else { return false }
    guard textCount > 16 else { return true }
    let first = differences(lines, offset, 16) | differences(lines, offset, 32)
    let second = differences(lines, offset, 48) | differences(lines, offset, 64)
    guard !ByteWords.hasBits(first | second | differences(lines, offset, 80)) else { return false }
    return textCount <= Self.headBytes || hasRemainder(lines, at: offset)
  }

  /// Returns the bits in which 16 bytes at an index of the text differ from those of lines. Bytes after the text are zero.
  @inline(__always)
  private func differences(_ lines: BlockText, _ offset: Int, _ index: Int) -> SIMD16<UInt8> {
    (lines.vector(at: offset &+ index) ^ text.vector(at: index)) & mask.vector(at: index)
  }

  /// Whether the bytes after the first ``headBytes`` ones are those of the prefix.
  private func hasRemainder(_ lines: BlockText, at offset: Int) -> Bool {
    guard textCount <= lines.count - offset else { return false }
    let count = textCount - Self.headBytes
    return ByteWords.areEqual(
      text.text(at: Self.headBytes, count: count), lines.text(at: offset + Self.headBytes, count: count))
  }
}

extension EventFields {
  /// Sets the fields whose values a prefix contains.
  @inline(__always)
  mutating func take(_ prefix: FieldPrefix) {
    if let name = prefix.name { self.name = name.borrowed }
    if let app = prefix.app { self.app = app.borrowed }
    if let flow = prefix.flow { self.flow = flow.borrowed }
    if prefix.fields & KnownField.flowVersion.bit != 0 { flowVersion = prefix.flowVersion }
    if let step = prefix.step { self.step = step.borrowed }
  }
}
