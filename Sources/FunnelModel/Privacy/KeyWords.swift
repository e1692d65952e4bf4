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
  @inline(__always)
  static func begins(at index: Int, of key: UnsafeRawBufferPointer) -> Bool {
    if isSeparator(key[index]) { return false }
    guard index > 0 else { return true }
    let previous = key[index - 1]
    if isSeparator(previous) { return true }
    guard isUppercase(key[index]) else { return false }
    // The last of several capitals begins a word if a lower-case letter follows that is not the `s` of a plural.
    return !isUppercase(previous)
      || (index + 1 < key.count && isLowercase(key[index + 1]) && !isPlural(key, at: index + 1))
  }

  /// Returns whether a word ends after the byte at an index.
  ///
  /// - Precondition: The byte is not a separator.
  @inline(__always)
  static func ends(behind index: Int, of key: UnsafeRawBufferPointer) -> Bool {
    assert(!isSeparator(key[index]), "a separator is not part of a word")
    return index + 1 == key.count || isSeparator(key[index + 1]) || begins(at: index + 1, of: key)
  }

  /// Returns whether the remainder of a key has only digits and separators, or is empty.
  static func isNumber(_ remainder: Slice<UnsafeRawBufferPointer>) -> Bool {
    remainder.allSatisfy { isSeparator($0) || isDigit($0) }
  }

  /// Returns whether the byte at an index, after a capital, is the `s` of a plural, as in `SSIDs` and `IDsSeen`.
  private static func isPlural(_ key: UnsafeRawBufferPointer, at index: Int) -> Bool {
    key[index] == UInt8(ascii: "s") && (index + 1 == key.count || !isLowercase(key[index + 1]))
  }

  /// Returns whether a byte is an ASCII character other than a letter or digit.
  @inline(__always)
  static func isSeparator(_ byte: UInt8) -> Bool { byte < 0x80 && !isLowercase(byte | 0x20) && !isDigit(byte) }

  /// Returns whether a byte is an ASCII digit.
  @inline(__always)
  static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  /// Returns a byte with an ASCII letter in lower case.
  @inline(__always)
  static func lowercased(_ byte: UInt8) -> UInt8 { isUppercase(byte) ? byte | 0x20 : byte }

  @inline(__always)
  private static func isUppercase(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }

  @inline(__always)
  private static func isLowercase(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }
}
