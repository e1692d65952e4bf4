/// The syntax of the names of apps, flows, steps, events and permissions: `[a-z][a-z0-9_]{0,99}`.
package enum NameSyntax {
  /// The syntax, for messages.
  static let rule =
    "allowed: a lower-case letter, then up to \(Limits.nameBytesMax - 1) lower-case letters, digits and underscores"

  /// Returns whether a text is a valid name.
  package static func matches(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, first.isLowercaseASCIILetter, bytes.count <= Limits.nameBytesMax else { return false }
    return bytes.allSatisfy { $0.isLowercaseASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
  }
}
