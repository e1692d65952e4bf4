/// A pattern of event names, such as `focus_session_*`: `*` matches any number of characters, `?` exactly one.
public struct NamePattern: Hashable, Sendable, CustomStringConvertible {
  /// The pattern as written.
  public let description: String
  private let bytes: [UInt8]

  /// Parses a pattern of lower-case letters, digits, `_`, `*` and `?`, or returns `nil` for any other text,
  /// which could match no name.
  public init?(_ text: String) {
    let isAllowed = { (byte: UInt8) in
      byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "_") || byte &- UInt8(ascii: "a") < 26
        || byte &- UInt8(ascii: "0") < 10
    }
    // A name of maximum length with a star per character is the longest useful pattern.
    guard !text.isEmpty, text.utf8.count <= 2 * Limits.nameBytesMax, text.utf8.allSatisfy(isAllowed) else { return nil }
    description = text
    bytes = Array(text.utf8)
  }

  /// Returns whether the whole name matches. The worst case is O(pattern length × name length).
  public func matches(_ name: some RandomAccessCollection<UInt8>) -> Bool {
    var index = 0
    var nameIndex = name.startIndex
    /// The index of the last star in the pattern, or `nil` if there was none.
    var star: Int?
    /// The end of the part of the name that the last star matches.
    var starEnd = name.startIndex
    while nameIndex < name.endIndex {
      if index < bytes.count, bytes[index] == UInt8(ascii: "*") {
        star = index
        starEnd = nameIndex
        index += 1
      } else if index < bytes.count, bytes[index] == name[nameIndex] || bytes[index] == UInt8(ascii: "?") {
        index += 1
        nameIndex = name.index(after: nameIndex)
      } else if let star {
        // The last star matches one more byte.
        starEnd = name.index(after: starEnd)
        index = star + 1
        nameIndex = starEnd
      } else {
        return false
      }
    }
    return bytes[index...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
