/// A pattern of names in which each `*` matches any characters, or none, and each `?` one character: `focus_session_*`.
public struct NamePattern: Hashable, Sendable, CustomStringConvertible {
  /// The pattern as written.
  public let description: String
  private let bytes: [UInt8]

  /// Parses a pattern of lower-case letters, digits, `_`, `*` and `?`; returns nil for any other text, which would match no name.
  public init?(_ text: String) {
    let isSign = { (byte: UInt8) in
      byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "_") || byte &- UInt8(ascii: "a") < 26
        || byte &- UInt8(ascii: "0") < 10
    }
    // A name of maximum length with a star per character is the longest useful pattern.
    guard !text.isEmpty, text.utf8.count <= 2 * Limits.nameBytesMax, text.utf8.allSatisfy(isSign) else { return nil }
    description = text
    bytes = Array(text.utf8)
  }

  /// Returns whether a whole name matches, in time proportional to the product of both lengths at most.
  public func matches(_ name: some RandomAccessCollection<UInt8>) -> Bool {
    var (place, next) = (0, name.startIndex)
    /// The last star, and the end of the text that it matches.
    var (star, end) = (-1, name.startIndex)
    while next < name.endIndex {
      if place < bytes.count, bytes[place] == UInt8(ascii: "*") {
        (star, end) = (place, next)
        place += 1
      } else if place < bytes.count, bytes[place] == name[next] || bytes[place] == UInt8(ascii: "?") {
        place += 1
        next = name.index(after: next)
      } else if star >= 0 {
        end = name.index(after: end)
        (place, next) = (star + 1, end)
      } else {
        return false
      }
    }
    return bytes[place...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
