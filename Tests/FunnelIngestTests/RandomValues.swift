/// A text of JSON values in an array or one after another, with random blanks between the tokens, and where each of them begins.
struct RandomValues {
  private(set) var text: [UInt8] = []
  /// The values as a splitter has to hand them on.
  private(set) var expected: [SplitText.Record] = []
  /// The offset behind each value.
  private(set) var ends: [Int] = []
  private let blanks: [String]

  init(count: Int, isArray: Bool, using random: inout some RandomNumberGenerator) {
    let styles = [[""], ["\n", "\n  ", " ", ""], ["\r\n", "\r\n\t", " "], ["\n", "\n\n", " \r\n ", "\t", ""]]
    blanks = styles[isArray ? Int.random(in: 0..<4, using: &random) : Int.random(in: 1..<4, using: &random)]
    if Bool.random(using: &random) { append("\u{FEFF}") }
    if isArray { append("[") }
    for index in 0..<count {
      if isArray { separate(",", ifNot: index == 0, using: &random) } else if index > 0 { append("\n") }
      appendBlank(using: &random)
      let start = text.count
      let line = 1 + text.count { $0 == 0x0A }
      // The first value shows the shape: a line that ends behind its brace.
      if index == 0 {
        append(isArray ? "{\"first\":1}" : "{\n\"first\":1}")
      } else {
        appendValue(level: 0, isObject: !isArray || Int.random(in: 0..<4, using: &random) > 0, using: &random)
      }
      let value = text[start...].map { $0 == 0x0A ? 0x20 : $0 }
      expected.append(.init(text: String(decoding: value, as: UTF8.self), line: line, byteOffset: start))
      ends.append(text.count)
      appendBlank(using: &random)
    }
    if isArray { append("]") }
    appendBlank(using: &random)
  }

  private mutating func append(_ string: String) { text += Array(string.utf8) }

  private mutating func separate(_ sign: String, ifNot isFirst: Bool, using random: inout some RandomNumberGenerator) {
    if isFirst { return }
    append(sign)
  }

  private mutating func appendBlank(using random: inout some RandomNumberGenerator) {
    append(blanks.randomElement(using: &random) ?? "")
  }

  private mutating func appendValue(level: Int, isObject: Bool, using random: inout some RandomNumberGenerator) {
    let kind = isObject ? 0 : Int.random(in: level < 4 ? 0..<7 : 2..<7, using: &random)
    switch kind {
    case 0: appendMembers("{", "}", level: level, using: &random)
    case 1: appendMembers("[", "]", level: level, using: &random)
    case 2: append(["0", "-1.5e3", "12345678901234567890"].randomElement(using: &random) ?? "0")
    case 3: append(["true", "false", "null"].randomElement(using: &random) ?? "null")
    default: appendString(using: &random)
    }
  }

  private mutating func appendMembers(
    _ open: String, _ close: String, level: Int, using random: inout some RandomNumberGenerator
  ) {
    append(open)
    for index in 0..<Int.random(in: 0...4, using: &random) {
      separate(",", ifNot: index == 0, using: &random)
      appendBlank(using: &random)
      if open == "{" {
        appendString(using: &random)
        appendBlank(using: &random)
        append(":")
        appendBlank(using: &random)
      }
      appendValue(level: level + 1, isObject: false, using: &random)
      appendBlank(using: &random)
    }
    append(close)
  }

  private static let pieces = [
    "a", "name", #"\""#, #"\\"#, #"\n"#, #"\u00e9"#, "é", "😀", "{", "}", "[", "]", ",", ":", " ", #"\\\""#, "0123456789abcdef",
  ]

  private mutating func appendString(using random: inout some RandomNumberGenerator) {
    append("\"")
    for _ in 0..<Int.random(in: 0...6, using: &random) { append(Self.pieces.randomElement(using: &random) ?? "") }
    append("\"")
  }
}
