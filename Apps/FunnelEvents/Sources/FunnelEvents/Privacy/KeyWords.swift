/// Splits keys into words at camelCase humps and at ASCII characters that are neither letters nor digits (separators).
///
///     current_network.name  → current network name
///     currentSSID           → current ssid
///     HTTPRequestID         → http request id
///     homeNetworkSSIDs      → home network ssids
///
/// Non-ASCII letters belong to a word and have no case here.
enum KeyWords {
  /// Returns whether a word begins at an index.
  static func begins(at index: Int, of key: [UInt8]) -> Bool {
    if isSeparator(key[index]) { return false }
    guard index > 0 else { return true }
    let previous = key[index - 1]
    if isSeparator(previous) { return true }
    guard isUppercase(key[index]) else { return false }
    // The last of several capitals begins a word if a lower-case letter follows that is not the `s` of a plural.
    return !isUppercase(previous)
      || (index + 1 < key.count && key[index + 1].isLowercaseASCIILetter && !isPlural(key, at: index + 1))
  }

  /// Returns whether a word ends after the byte at an index, which is not a separator.
  static func ends(after index: Int, of key: [UInt8]) -> Bool {
    assert(!isSeparator(key[index]), "a separator is not part of a word")
    return index + 1 == key.count || isSeparator(key[index + 1]) || begins(at: index + 1, of: key)
  }

  /// Returns whether a key has only digits and separators from an index on, or ends before it.
  static func isNumber(_ key: [UInt8], from index: Int) -> Bool {
    key[index...].allSatisfy { isSeparator($0) || $0.isASCIIDigit }
  }

  /// Returns whether a byte is an ASCII character other than a letter or digit.
  static func isSeparator(_ byte: UInt8) -> Bool { !byte.isLetter && !byte.isASCIIDigit }

  /// Returns a byte with an ASCII letter in lower case.
  static func lowercased(_ byte: UInt8) -> UInt8 { isUppercase(byte) ? byte | 0x20 : byte }

  /// Returns whether the byte at an index, after a capital, is the `s` of a plural, as in `SSIDs` and `IDsSeen`.
  private static func isPlural(_ key: [UInt8], at index: Int) -> Bool {
    key[index] == UInt8(ascii: "s") && (index + 1 == key.count || !key[index + 1].isLowercaseASCIILetter)
  }

  private static func isUppercase(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }
}
