/// The recursive descent parser of ``JSONDocument``. It implements RFC 8259 without extensions, and rejects duplicate keys.
struct JSONParser {
  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var lineStart = 0
  /// The number of UTF-8 continuation bytes on the line so far. They are subtracted from columns, which count
  /// code points as editors do.
  private var continuationBytes = 0

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Creates a parser, which skips a byte order mark at the start.
  init(bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: Self.byteOrderMark) {
      index = Self.byteOrderMark.count
      lineStart = index
    }
  }

  /// Parses the whole text as one value.
  mutating func readDocument() throws(JSONDocument.SyntaxError) -> JSONDocument.Node {
    if String(validUTF8: bytes) == nil { throw failure("the text is not UTF-8 here", at: positionOfInvalidUTF8()) }
    let node = try readValue(depth: 0)
    skipWhitespace()
    guard index == bytes.count else { throw failure("there is text after the end of the value") }
    return node
  }

  private mutating func readValue(depth: Int) throws(JSONDocument.SyntaxError) -> JSONDocument.Node {
    skipWhitespace()
    let position = position
    guard index < bytes.count else { throw failure("a value is missing: the text ends here") }
    guard depth <= Limits.nestingLevelsMax else { throw failure("nested deeper than \(Limits.nestingLevelsMax) levels") }
    let value: JSONDocument.Value
    switch bytes[index] {
    case UInt8(ascii: "{"): value = .object(try readObject(depth: depth))
    case UInt8(ascii: "["): value = .array(try readArray(depth: depth))
    case UInt8(ascii: "\""): value = .string(try readString())
    case UInt8(ascii: "t"): value = try readLiteral("true", .bool(true))
    case UInt8(ascii: "f"): value = try readLiteral("false", .bool(false))
    case UInt8(ascii: "n"): value = try readLiteral("null", .null)
    default: value = .number(try readNumber())
    }
    return JSONDocument.Node(value: value, position: position)
  }

  private mutating func readObject(depth: Int) throws(JSONDocument.SyntaxError) -> [JSONDocument.Member] {
    var members: [JSONDocument.Member] = []
    var keys = KeySet()
    index += 1
    skipWhitespace()
    if take("}") { return members }
    repeat {
      skipWhitespace()
      let position = position
      guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
        throw failure("a key in double quotes is missing here")
      }
      let key = try readString()
      guard keys.insert(key, after: members) else {
        throw failure("the key \(key.quoted) appears twice", at: position)
      }
      skipWhitespace()
      guard take(":") else { throw failure("a colon is missing after the key \(key.quoted)") }
      members.append(JSONDocument.Member(key: key, position: position, node: try readValue(depth: depth + 1)))
      skipWhitespace()
    } while take(",")
    guard take("}") else { throw failure("a comma or a closing brace is missing here") }
    return members
  }

  private mutating func readArray(depth: Int) throws(JSONDocument.SyntaxError) -> [JSONDocument.Node] {
    var nodes: [JSONDocument.Node] = []
    index += 1
    skipWhitespace()
    if take("]") { return nodes }
    repeat {
      nodes.append(try readValue(depth: depth + 1))
      skipWhitespace()
    } while take(",")
    guard take("]") else { throw failure("a comma or a closing bracket is missing here") }
    return nodes
  }

  private mutating func readString() throws(JSONDocument.SyntaxError) -> String {
    index += 1
    // `text` is the content up to the last escape, and `start` is the index after it. Most strings have no
    // escapes, so `text` stays empty.
    var text: [UInt8] = []
    var start = index
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        let remainder = bytes[start..<index - 1]
        return String(decoding: text.isEmpty ? remainder : (text + remainder)[...], as: UTF8.self)
      case UInt8(ascii: "\\"):
        text.append(contentsOf: bytes[start..<index])
        text.append(contentsOf: String(try readEscape()).utf8)
        start = index
      case 0..<0x20:
        throw failure("a control character in a string is not escaped")
      default:
        index += 1
        if byte & 0xC0 == 0x80 { continuationBytes += 1 }
      }
    }
    throw failure("a string is not closed")
  }

  // Events use other decoders, which are faster but do not report the position of an error: simdjson, and
  // `JSONEscapes` of FunnelIngest for lines that simdjson rejects.
  /// Reads an escape sequence. An invalid one is an error.
  private mutating func readEscape() throws(JSONDocument.SyntaxError) -> Unicode.Scalar {
    guard index + 1 < bytes.count else { throw failure("a string is not closed") }
    let escape = bytes[index + 1]
    index += 2
    switch escape {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(escape)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let unit = try readHexadecimalUnit()
      if let scalar = Unicode.Scalar(unit) { return scalar }
      guard (0xD800...0xDBFF).contains(unit), take("\\"), take("u") else {
        throw failure("half of a surrogate pair is missing")
      }
      let low = try readHexadecimalUnit()
      guard (0xDC00...0xDFFF).contains(low),
        let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
      else { throw failure("half of a surrogate pair is missing") }
      return scalar
    default: throw failure("an escape sequence that JSON does not have")
    }
  }

  private mutating func readHexadecimalUnit() throws(JSONDocument.SyntaxError) -> UInt16 {
    guard index + 4 <= bytes.count else { throw failure("four hexadecimal digits are missing after \\u") }
    var unit: UInt16 = 0
    for byte in bytes[index..<index + 4] {
      guard let digit = Hexadecimal.value(of: byte) else {
        throw failure("four hexadecimal digits are missing after \\u")
      }
      unit = unit << 4 | UInt16(digit)
    }
    index += 4
    return unit
  }

  private mutating func readLiteral(
    _ text: String, _ value: JSONDocument.Value
  ) throws(JSONDocument.SyntaxError) -> JSONDocument.Value {
    guard bytes[index...].starts(with: text.utf8) else { throw failure("no JSON value starts like this") }
    index += text.utf8.count
    return value
  }

  private mutating func readNumber() throws(JSONDocument.SyntaxError) -> String {
    let start = index
    _ = take("-")
    let integerDigits = skipDigits()
    guard integerDigits > 0 else { throw failure("no JSON value starts like this") }
    guard integerDigits == 1 || bytes[index - integerDigits] != UInt8(ascii: "0") else {
      throw failure("a number has a leading zero")
    }
    if take(".") {
      guard skipDigits() > 0 else { throw failure("digits are missing after the decimal point") }
    }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      guard skipDigits() > 0 else { throw failure("digits are missing in the exponent") }
    }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func skipDigits() -> Int {
    let start = index
    while index < bytes.count, bytes[index].isASCIIDigit { index += 1 }
    return index - start
  }

  private mutating func skipWhitespace() {
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\n"):
        index += 1
        line += 1
        lineStart = index
        continuationBytes = 0
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): index += 1
      default: return
      }
    }
  }

  /// Skips a character if it is next. Returns whether it was.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private var position: JSONDocument.Position {
    JSONDocument.Position(line: line, column: index - lineStart - continuationBytes + 1)
  }

  /// Returns the position of the first sequence that is not valid UTF-8.
  private func positionOfInvalidUTF8() -> JSONDocument.Position {
    var parser = Unicode.UTF8.ForwardParser()
    var source = bytes[index...].makeIterator()
    var result = position
    while case .valid(let scalar) = parser.parseScalar(from: &source) {
      if scalar.count == 1, scalar.first == UInt8(ascii: "\n") {
        result = JSONDocument.Position(line: result.line + 1, column: 1)
      } else {
        result.column += 1
      }
    }
    return result
  }

  /// Returns an error at a position, or at the current one.
  private func failure(_ message: String, at other: JSONDocument.Position? = nil) -> JSONDocument.SyntaxError {
    JSONDocument.SyntaxError(position: other ?? position, message: message)
  }
}

/// Detects duplicate keys of an object. Keys are compared by bytes, because different strings can be canonically equivalent.
private struct KeySet {
  /// All keys of an object with more than ``fewCount`` members, otherwise empty.
  private var keys: Set<[UInt8]> = []
  /// The number of keys up to which comparing all of them takes less time than hashing. Most objects are smaller.
  private static let fewCount = 16

  /// Adds the next key of an object. Returns false if an earlier member has the same key.
  ///
  /// - Parameter members: All earlier members of the object.
  mutating func insert(_ key: String, after members: [JSONDocument.Member]) -> Bool {
    if members.count < Self.fewCount { return !members.contains { $0.key.utf8.elementsEqual(key.utf8) } }
    if members.count == Self.fewCount { keys = Set(members.map { Array($0.key.utf8) }) }
    return keys.insert(Array(key.utf8)).inserted
  }
}
