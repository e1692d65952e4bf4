import FunnelModel
import FunnelSystem

/// Masks what may be personal data in a text that is no JSON, and so can't be read member by member.
///
/// Strings, words and what follows a key of the list are looked at as they stand.
struct UnreadableText {
  private static let replacement = Array("***".utf8)

  private let text: [UInt8]
  private let rules: PrivacyRules
  private var masked: [UInt8] = []
  private var hasMasked = false
  private var index = 0
  /// The number of brackets and braces that are open.
  private var depth = 0
  /// The depth outside of the container whose values are masked, or `nil` if there is none.
  private var maskedDepth: Int?
  /// Whether the next value follows a key of the list.
  private var followsPersonalKey = false

  /// Returns the text with personal data masked, or `nil` if there is nothing to mask. Of a text with zero bytes, which is binary or
  /// UTF-16, nothing is left.
  static func masked(_ text: [UInt8], by rules: PrivacyRules) -> [UInt8]? {
    if text.contains(0) { return [] }
    var reader = UnreadableText(text: text, rules: rules)
    reader.read()
    return reader.hasMasked ? reader.masked : nil
  }

  private init(text: [UInt8], rules: PrivacyRules) {
    self.text = text
    self.rules = rules
  }

  private mutating func read() {
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "\""): readString()
      case UInt8(ascii: "{"), UInt8(ascii: "["): open()
      case UInt8(ascii: "}"), UInt8(ascii: "]"): close()
      case 0...0x20, UInt8(ascii: ","), UInt8(ascii: ":"):
        if text[index] == UInt8(ascii: ",") { followsPersonalKey = false }
        copy(index..<index + 1)
      default: readWord()
      }
    }
  }

  private mutating func copy(_ range: Range<Int>) {
    masked += text[range]
    index = range.upperBound
  }

  private mutating func open() {
    if followsPersonalKey, maskedDepth == nil { maskedDepth = depth }
    followsPersonalKey = false
    depth += 1
    copy(index..<index + 1)
  }

  private mutating func close() {
    depth -= 1
    if let maskedDepth, depth <= maskedDepth { self.maskedDepth = nil }
    followsPersonalKey = false
    copy(index..<index + 1)
  }

  /// Reads a string, which may be cut. It is a key if a colon follows.
  private mutating func readString() {
    let start = index + 1
    var end = start
    while end < text.count, text[end] != UInt8(ascii: "\"") { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
    end = min(end, text.count)
    var next = end + 1
    while next < text.count, text[next] <= 0x20 { next += 1 }
    guard next < text.count, text[next] == UInt8(ascii: ":") else {
      return write(start..<end, until: min(end + 1, text.count))
    }
    followsPersonalKey = rules.isPersonal(key: text.span.extracting(start..<end))
    copy(index..<next)
  }

  /// Reads a number, a literal, or a word outside of any string.
  private mutating func readWord() {
    var end = index
    while end < text.count, text[end] > 0x20, !",:\"{}[]".utf8.contains(text[end]) { end += 1 }
    write(index..<end, until: end)
  }

  /// Writes a value, or its replacement if it may be personal.
  private mutating func write(_ value: Range<Int>, until end: Int) {
    let isPersonal =
      followsPersonalKey || maskedDepth != nil || rules.finding(inValue: text.span.extracting(value)) != nil
    followsPersonalKey = false
    guard isPersonal else { return copy(index..<end) }
    hasMasked = true
    masked += [UInt8(ascii: "\"")] + Self.replacement + [UInt8(ascii: "\"")]
    index = end
  }
}
