/// Converts imported names to the native form: `Application Installed` becomes `application_installed`.
enum NameFolding {
  /// Returns the native form of a name: lowercase words of ASCII letters and digits, separated by `_`.
  ///
  /// A leading digit gets the prefix `e_`. The result is empty if the name has no ASCII letter and no digit.
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
      if byte.isUpper, index > 0, startsWord(bytes, at: index) { separate(&folded) }
      folded.append(byte.isUpper ? byte | 0x20 : byte)
    }
    if folded.last == UInt8(ascii: "_") { folded.removeLast() }
    if let first = folded.first, first.isDigit { folded.insert(contentsOf: [UInt8(ascii: "e"), UInt8(ascii: "_")], at: 0) }
    return folded
  }

  /// Whether an uppercase letter starts a word: after a lowercase letter or a digit (`signUp`), or as the last of several
  /// uppercase letters before a lowercase one (`HTTPRequest`).
  private static func startsWord(_ bytes: [UInt8], at index: Int) -> Bool {
    let before = bytes[index - 1]
    if before.isLower || before.isDigit { return true }
    return before.isUpper && index + 1 < bytes.count && bytes[index + 1].isLower
  }

  /// Appends a separator, unless there is one already or no word before it.
  private static func separate(_ folded: inout [UInt8]) {
    if let last = folded.last, last != UInt8(ascii: "_") { folded.append(UInt8(ascii: "_")) }
  }
}

extension UInt8 {
  fileprivate var isLower: Bool { self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z") }
  fileprivate var isUpper: Bool { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") }
  fileprivate var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}
