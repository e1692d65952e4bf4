/// Decodes the percent-encoded text of URLs and form bodies.
package enum URLText {
  /// The meaning of a plus sign in an encoded text.
  package enum PlusSign {
    /// A plus sign, as in the path of a URL.
    case literal
    /// A space, as in form bodies and queries.
    case space
  }

  /// Returns the parameters of a form body or a query, such as `a=1&b=2` (URL Standard, section 5.1).
  ///
  /// - Returns: The parameters in order, with a `nil` value if there is no equals sign. Returns `nil` if a name
  ///   or a value can't be decoded.
  package static func parameters(_ text: some StringProtocol) -> [(name: String, value: String?)]? {
    var parameters: [(name: String, value: String?)] = []
    for pair in text.split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(sides[0], plus: .space) else { return nil }
      guard sides.count > 1 else {
        parameters.append((name, nil))
        continue
      }
      guard let value = decoded(sides[1], plus: .space) else { return nil }
      parameters.append((name, value))
    }
    return parameters
  }

  /// Returns a text with its percent-escapes decoded, or `nil` if an escape is incomplete or the result is not valid UTF-8.
  package static func decoded(_ text: some StringProtocol, plus: PlusSign) -> String? {
    var bytes: [UInt8] = []
    var source = text.utf8.makeIterator()
    while let byte = source.next() {
      switch byte {
      case UInt8(ascii: "+") where plus == .space: bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = source.next().flatMap(Hexadecimal.value(of:)), let low = source.next().flatMap(Hexadecimal.value(of:))
        else { return nil }
        bytes.append(high << 4 | low)
      default: bytes.append(byte)
      }
    }
    return String(validUTF8: bytes)
  }
}
