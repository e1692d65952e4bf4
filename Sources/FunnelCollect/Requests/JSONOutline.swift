import FunnelIngest

/// The outermost level of a JSON text: the members of its object or the elements of its array, by the ranges of their values.
///
/// Only what shows where a value ends is checked: brackets, quotes, commas and colons. So a record with a fault in itself does
/// not hide those beside it.
struct JSONOutline {
  enum Root {
    case object([Member])
    case array([Range<Int>])
    /// A string, a number or a literal.
    case scalar
  }

  struct Member {
    /// The bytes of the key between its quotes, with escapes as they are.
    let key: Range<Int>
    let value: Range<Int>
  }

  let root: Root
  /// The range of the value in the text, without white space around it.
  let range: Range<Int>

  /// The number of members or elements from which on no more are kept.
  private static let countMax = RecordLines.countMax + 1
  /// The deepest nesting of a text. Deeper ones are no batches of any client.
  private static let depthMax = 10_000

  /// Reads the value in a range of a text, or returns `nil` if brackets and quotes don't show where it ends, or if something
  /// follows it.
  init?(_ text: Span<UInt8>, in whole: Range<Int>) {
    var scanner = Scanner(text: text, index: whole.lowerBound, end: whole.upperBound)
    scanner.skipSpace()
    let start = scanner.index
    guard let root = scanner.readRoot() else { return nil }
    range = start..<scanner.index
    scanner.skipSpace()
    guard scanner.index == whole.upperBound else { return nil }
    self.root = root
  }

  /// Reads a whole text.
  init?(_ text: Span<UInt8>) { self.init(text, in: 0..<text.count) }

  /// Returns the value of the first member with a key, or `nil` if the value is no object or has none.
  func value(_ key: String, in text: Span<UInt8>) -> Range<Int>? {
    guard case .object(let members) = root else { return nil }
    let key = Array(key.utf8)
    return members.first { member in
      member.key.count == key.count && key.indices.allSatisfy { text[member.key.lowerBound + $0] == key[$0] }
    }?.value
  }

  private struct Scanner: ~Escapable {
    let text: Span<UInt8>
    var index: Int
    let end: Int

    @_lifetime(copy text)
    init(text: Span<UInt8>, index: Int, end: Int) {
      self.text = text
      self.index = index
      self.end = end
    }

    /// The next byte, or `nil` at the end.
    var next: UInt8? { index < end ? text[index] : nil }

    @_lifetime(self: copy self)
    mutating func skipSpace() {
      while let next, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { index += 1 }
    }

    @_lifetime(self: copy self)
    private mutating func skip(_ byte: UInt8) -> Bool {
      guard next == byte else { return false }
      index += 1
      return true
    }

    @_lifetime(self: copy self)
    mutating func readRoot() -> Root? {
      switch next {
      case UInt8(ascii: "{"): readMembers().map(Root.object)
      case UInt8(ascii: "["): readElements().map(Root.array)
      default: readValue() == nil ? nil : .scalar
      }
    }

    @_lifetime(self: copy self)
    private mutating func readMembers() -> [Member]? {
      index += 1
      var members: [Member] = []
      skipSpace()
      if skip(UInt8(ascii: "}")) { return members }
      while true {
        skipSpace()
        guard next == UInt8(ascii: "\""), let key = readValue() else { return nil }
        skipSpace()
        guard skip(UInt8(ascii: ":")) else { return nil }
        skipSpace()
        guard let value = readValue() else { return nil }
        if members.count < countMax { members.append(Member(key: key.lowerBound + 1..<key.upperBound - 1, value: value)) }
        skipSpace()
        if skip(UInt8(ascii: "}")) { return members }
        guard skip(UInt8(ascii: ",")) else { return nil }
      }
    }

    @_lifetime(self: copy self)
    private mutating func readElements() -> [Range<Int>]? {
      index += 1
      var elements: [Range<Int>] = []
      skipSpace()
      if skip(UInt8(ascii: "]")) { return elements }
      while true {
        skipSpace()
        guard let value = readValue() else { return nil }
        if elements.count < countMax { elements.append(value) }
        skipSpace()
        if skip(UInt8(ascii: "]")) { return elements }
        guard skip(UInt8(ascii: ",")) else { return nil }
      }
    }

    /// Skips a value, and returns its range, or `nil` if there is none or its end can't be told.
    @_lifetime(self: copy self)
    private mutating func readValue() -> Range<Int>? {
      let start = index
      switch next {
      case UInt8(ascii: "\""): return skipString() ? start..<index : nil
      case UInt8(ascii: "{"), UInt8(ascii: "["): return skipContainer() ? start..<index : nil
      default:
        while let next, !Self.endsScalar(next) { index += 1 }
        return index > start ? start..<index : nil
      }
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "{"),
        UInt8(ascii: "\""), 0...0x20:
        true
      default: false
      }
    }

    /// Skips a string. Returns `false` if it does not end.
    @_lifetime(self: copy self)
    private mutating func skipString() -> Bool {
      index += 1
      while index < end {
        index = JSONStructure.nextInString(in: text, from: index, to: end)
        guard index < end else { return false }
        let byte = text[index]
        index += byte == UInt8(ascii: "\\") ? 2 : 1
        if byte == UInt8(ascii: "\"") { return true }
      }
      return false
    }

    /// Skips an object or an array. Returns `false` if its brackets don't match.
    @_lifetime(self: copy self)
    private mutating func skipContainer() -> Bool {
      var open: [UInt8] = []
      while index < end {
        index = JSONStructure.next(in: text, from: index, to: end)
        guard index < end else { return false }
        let byte = text[index]
        switch byte {
        case UInt8(ascii: "\""):
          guard skipString() else { return false }
          continue
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          guard open.count < depthMax else { return false }
          open.append(byte)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          // A closing bracket differs from its opening one by 2.
          guard let last = open.popLast(), last &+ 2 == byte else { return false }
        default: break
        }
        index += 1
        if open.isEmpty { return true }
      }
      return false
    }
  }
}
