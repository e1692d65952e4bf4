/// Splits keys into words, at every ASCII character that is neither a letter nor a digit, and at camelCase humps.
///
///     current_network.name  → current network name
///     currentSSID           → current ssid
///     HTTPRequestID         → http request id
///     homeNetworkSSIDs      → home network ssids
///
/// Non-ASCII letters belong to a word and have no case here.
enum KeyWords {
  /// Returns whether a word begins at a position.
  @inline(__always)
  static func begins(at place: Int, of key: UnsafeRawBufferPointer) -> Bool {
    if isSeparator(key[place]) { return false }
    guard place > 0 else { return true }
    let previous = key[place - 1]
    if isSeparator(previous) { return true }
    guard isCapital(key[place]) else { return false }
    // The last of several capitals begins a word if a lower-case letter follows that is not the `s` of a plural.
    return !isCapital(previous) || (place + 1 < key.count && isSmall(key[place + 1]) && !isPlural(key, at: place + 1))
  }

  /// Returns whether a word ends after the byte at a position, which is not a separator.
  @inline(__always)
  static func ends(behind place: Int, of key: UnsafeRawBufferPointer) -> Bool {
    place + 1 == key.count || isSeparator(key[place + 1]) || begins(at: place + 1, of: key)
  }

  /// Returns whether the rest of a key is empty or a number.
  static func isNumber(_ rest: Slice<UnsafeRawBufferPointer>) -> Bool {
    rest.allSatisfy { isSeparator($0) || isDigit($0) }
  }

  /// Returns whether an `s` after several capitals marks a plural, as in `SSIDs` and `IDsSeen`.
  private static func isPlural(_ key: UnsafeRawBufferPointer, at place: Int) -> Bool {
    key[place] == UInt8(ascii: "s") && (place + 1 == key.count || !isSmall(key[place + 1]))
  }

  @inline(__always)
  static func isSeparator(_ byte: UInt8) -> Bool { byte < 0x80 && !isSmall(byte | 0x20) && !isDigit(byte) }

  @inline(__always)
  static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  @inline(__always)
  static func lowercased(_ byte: UInt8) -> UInt8 { isCapital(byte) ? byte | 0x20 : byte }

  @inline(__always)
  private static func isCapital(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }

  @inline(__always)
  private static func isSmall(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }
}
