/// Turns foreign names into native ones: `Application Installed` becomes `application_installed`.
enum NameFolding {
  /// Returns the native form of a name: humps and signs become `_`, letters are lower case, `e_` stands before a digit. Returns nothing
  /// for a name without letters and digits.
  static func fold(_ name: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(name)
    var folded: [UInt8] = []
    folded.reserveCapacity(bytes.count + 4)
    for index in bytes.indices {
      let byte = bytes[index]
      guard byte.isLower || byte.isUpper || byte.isDigit else {
        separate(&folded)
        continue
      }
      if byte.isUpper, index > 0, beginsHump(bytes, at: index) { separate(&folded) }
      folded.append(byte.isUpper ? byte | 0x20 : byte)
    }
    if folded.last == UInt8(ascii: "_") { folded.removeLast() }
    if let first = folded.first, first.isDigit { folded.insert(contentsOf: [UInt8(ascii: "e"), UInt8(ascii: "_")], at: 0) }
    return folded
  }

  /// Returns whether an upper-case letter begins a word: after a lower-case letter or a digit (`signUp`), or as the last of a run of
  /// upper-case letters before a lower-case one (`HTTPRequest`).
  private static func beginsHump(_ bytes: [UInt8], at index: Int) -> Bool {
    let before = bytes[index - 1]
    if before.isLower || before.isDigit { return true }
    return before.isUpper && index + 1 < bytes.count && bytes[index + 1].isLower
  }

  /// Ends a word, if one was begun.
  private static func separate(_ folded: inout [UInt8]) {
    if let last = folded.last, last != UInt8(ascii: "_") { folded.append(UInt8(ascii: "_")) }
  }
}

extension UInt8 {
  fileprivate var isLower: Bool { self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z") }
  fileprivate var isUpper: Bool { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") }
  fileprivate var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}
