/// Reads the texts of URLs and of forms.
public enum URLText {
  /// Returns the parameters of a form or of a query, `a=1&b=2` (URL Standard, 5.1), or nil if they are not text.
  public static func parameters(_ text: some StringProtocol) -> [(name: String, value: String?)]? {
    var parameters: [(name: String, value: String?)] = []
    for pair in text.split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(sides[0], plusIsBlank: true) else { return nil }
      guard sides.count > 1 else {
        parameters.append((name, nil))
        continue
      }
      guard let value = decoded(sides[1], plusIsBlank: true) else { return nil }
      parameters.append((name, value))
    }
    return parameters
  }

  /// Returns a text with its escapes read, or nil if one is cut or they are no UTF-8.
  public static func decoded(_ text: some StringProtocol, plusIsBlank: Bool) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "+") where plusIsBlank: bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(hexadecimal), let low = rest.next().flatMap(hexadecimal) else { return nil }
        bytes.append(high << 4 | low)
      default: bytes.append(byte)
      }
    }
    let result = String(decoding: bytes, as: UTF8.self)
    return result.utf8.elementsEqual(bytes) ? result : nil
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
