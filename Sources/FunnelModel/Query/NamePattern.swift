/// A pattern of names in which each `*` stands for any characters, or none, and each `?` for one: `focus_session_*`.
public struct NamePattern: Hashable, Sendable, CustomStringConvertible {
  /// The pattern as it is written.
  public let description: String
  private let bytes: [UInt8]

  /// Reads a pattern of lower-case letters, digits, underscores, stars and question marks; returns nil for anything else: no name would match it.
  public init?(_ text: String) {
    let isSign = { (byte: UInt8) in
      byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "_") || byte &- UInt8(ascii: "a") < 26
        || byte &- UInt8(ascii: "0") < 10
    }
    // A name and its stars: more can match no name that is shorter than they are.
    guard !text.isEmpty, text.utf8.count <= 2 * Limits.nameBytesMax, text.utf8.allSatisfy(isSign) else { return nil }
    description = text
    bytes = Array(text.utf8)
  }

  /// Whether a whole name matches. The time it takes is the product of both lengths at most.
  public func matches(_ name: some RandomAccessCollection<UInt8>) -> Bool {
    var (place, next) = (0, name.startIndex)
    /// The last star, and where what it stands for ends.
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
