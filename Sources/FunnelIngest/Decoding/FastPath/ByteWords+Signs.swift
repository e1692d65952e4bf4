extension ByteWords {
  /// Whether a text may contain an e-mail address or a phone number: a fast check with false positives. At
  /// least seven bytes after the text must be readable.
  @inline(__always)
  static func mayHoldPersonalData(_ text: UnsafeRawBufferPointer) -> Bool {
    // An e-mail address contains an at sign. A plus sign or a colon precedes a phone number.
    text.count >= personalBytesMin && hasHighBit(in: text, after: signs)
  }

  /// The length of the shortest e-mail address, `a@b.cc`. Every phone number is longer.
  private static let personalBytesMin = 6

  /// Whether all bytes are ASCII, and none is DEL. At least seven bytes after the text must be readable.
  @inline(__always)
  static func arePlainASCII(_ text: UnsafeRawBufferPointer) -> Bool { text.count == 0 || !hasHighBit(in: text, after: unusual) }

  /// Whether a function of the bytes sets the highest bit of any byte.
  ///
  /// - Parameters:
  ///   - text: At least one byte.
  ///   - function: A function that computes each byte of its result from the same byte of its argument. It must
  ///     not set the highest bit
  ///     for a zero byte.
  @inline(__always)
  private static func hasHighBit(
    in text: UnsafeRawBufferPointer, after function: (SIMD16<UInt8>) -> SIMD16<UInt8>
  ) -> Bool {
    // This runs on the IDs of every event, so it reads 16 bytes at a time. The last vector overlaps the one before.
    guard let start = text.baseAddress else { return false }
    assert(text.count > 0, "the text is empty")
    var found: SIMD16<UInt8>
    if text.count >= 16 {
      found = function(vector(start + (text.count &- 16)))
      var offset = 0
      while offset &+ 16 < text.count {
        found |= function(vector(start + offset))
        offset &+= 16
      }
    } else {
      let head = word(start, count: min(text.count, 8))
      let tail = text.count > 8 ? word(start + (text.count &- 8)) : 0
      found = function(unsafeBitCast(SIMD2(head, tail), to: SIMD16<UInt8>.self))
    }
    return hasBits(found & SIMD16(repeating: 0x80))
  }

  /// The result of comparing bytes. The compiler vectorizes a comparison only if its result is declared with this type.
  private typealias Mask = SIMDMask<SIMD16<Int8>>

  /// Returns 0xFF for each byte that is an at sign, a plus sign or a colon, and 0 for the others.
  @inline(__always)
  private static func signs(_ bytes: SIMD16<UInt8>) -> SIMD16<UInt8> {
    let at: Mask = bytes .== SIMD16(repeating: UInt8(ascii: "@"))
    let plus: Mask = bytes .== SIMD16(repeating: UInt8(ascii: "+"))
    let colon: Mask = bytes .== SIMD16(repeating: UInt8(ascii: ":"))
    return unsafeBitCast(at .| plus .| colon, to: SIMD16<UInt8>.self)
  }

  /// Sets the highest bit of each byte that is DEL or not ASCII.
  @inline(__always)
  private static func unusual(_ bytes: SIMD16<UInt8>) -> SIMD16<UInt8> {
    // Adding 1 to DEL (0x7F) sets the highest bit. Bytes that are not ASCII have it.
    bytes | (bytes &+ SIMD16(repeating: 1))
  }
}
