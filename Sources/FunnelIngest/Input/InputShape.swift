/// The shape of a text of JSON, as its beginning shows it.
enum InputShape: Hashable {
  /// One object a line.
  case lines
  /// An array of objects, or objects that span several lines each.
  case values

  /// The number of bytes that are examined: few blanks precede the characters that decide, and a first line that is longer is no line of
  /// a pretty-printed object.
  static let bytesMax = 4096

  /// Creates the shape of a text that begins with these bytes, ``bytesMax`` of them if it has as many.
  ///
  /// A server's log may begin with `[2026-11-20 10:15:30]`, and a line may be cut off behind its first bracket, so what follows the
  /// bracket must fit too.
  init(beginning bytes: some Collection<UInt8>) {
    self = .lines
    var rest = bytes.prefix(Self.bytesMax).trimmingByteOrderMark.drop { $0 <= 0x20 }
    switch rest.popFirst() {
    case UInt8(ascii: "["):
      rest = rest.drop { $0 <= 0x20 }
      let next = rest.popFirst()
      // An array without elements is one only if nothing follows it: a line of a log may be that, too.
      let isEmptyArray = next == UInt8(ascii: "]") && rest.allSatisfy { $0 <= 0x20 }
      if next == nil || next.map("{[".utf8.contains) == true || isEmptyArray { self = .values }
    case UInt8(ascii: "{"):
      if Self.goesOnBehindLine(rest) { self = .values }
    default: break
    }
  }

  /// Returns whether an object, of which this is the rest, is open at the end of its line and the next line goes on with it. A line that is
  /// merely cut off is followed by the next line's `{`.
  private static func goesOnBehindLine(_ rest: some Collection<UInt8>) -> Bool {
    var depth = 1
    var (isInString, isEscaped) = (false, false)
    var rest = rest[...]
    while let byte = rest.popFirst() {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\n"): return !isInString && depth > 0 && isContinuation(rest.first { $0 > 0x20 })
      case UInt8(ascii: "\\"): isEscaped = isInString
      case UInt8(ascii: "\""): isInString.toggle()
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += isInString ? 0 : 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= isInString ? 0 : 1
      default: break
      }
    }
    return false
  }

  private static func isContinuation(_ byte: UInt8?) -> Bool {
    byte.map("\"}],:".utf8.contains) ?? false
  }
}
