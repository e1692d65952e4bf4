import FunnelModel

/// A piece of JSON, made only of literals of this program and of values that went through JSON's escape.
///
/// The same holds for every output format: no text from an event or a definition reaches the output but through this file.
struct JSONOutput {
  private(set) var bytes: [UInt8] = []

  /// Appends punctuation and keys of this program.
  mutating func append(_ literal: StaticString) {
    bytes.append(text: literal)
  }

  /// Appends a string. What RFC 8259 demands is escaped, and what can't be seen: a report that is looked at in a terminal must not
  /// drive it, and a program reads the same string either way.
  mutating func append(string text: String) {
    guard text.unicodeScalars.contains(where: { $0.value >= 0x7F && $0.isHidden }) else { return bytes.appendJSONString(text) }
    var quoted: [UInt8] = []
    quoted.appendJSONString(text)
    for scalar in String(decoding: quoted, as: UTF8.self).unicodeScalars {
      guard scalar.value >= 0x7F, scalar.isHidden else {
        bytes.append(contentsOf: Unicode.UTF8.encode(scalar)!)
        continue
      }
      for unit in Unicode.UTF16.encode(scalar)! {
        let digits = String(unit, radix: 16)
        bytes.append(text: "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits)
      }
    }
  }

  /// Appends a whole number.
  mutating func append(integer: Int64) {
    bytes.appendDecimal(integer)
  }

  /// Appends a number in the shortest text that reads back to it; JSON has no text for what is not finite, so that is null.
  mutating func append(number: Double) {
    if number.isFinite { bytes.appendJSONNumber(number) } else { append("null") }
  }
}
