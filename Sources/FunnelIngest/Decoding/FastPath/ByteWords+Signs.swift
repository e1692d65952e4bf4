extension ByteWords {
  /// Returns whether bytes may contain an e-mail address or a phone number: an address has an at sign, and a number is preceded by a plus sign
  /// or a colon. Padding must follow the bytes.
  @inline(__always)
  static func mayHoldPersonalData(_ text: UnsafeRawBufferPointer) -> Bool {
    // `a@b.cc` is the shortest e-mail address; every phone number is longer.
    text.count >= 6 && hasHighBit(in: text, after: signs)
  }

  /// Returns whether all bytes are ASCII and none is DEL. Padding must follow the bytes.
  @inline(__always)
  static func arePlainASCII(_ text: UnsafeRawBufferPointer) -> Bool { text.count == 0 || !hasHighBit(in: text, after: unusual) }

  /// Returns whether a function of each byte sets its highest bit for any of the bytes, of which there is at least one.
  ///
  /// It runs on the ids of every event, so it reads sixteen bytes at a time. The last stride overlaps the one before.
  @inline(__always)
  private static func hasHighBit(
    in text: UnsafeRawBufferPointer, after function: (SIMD16<UInt8>) -> SIMD16<UInt8>
  ) -> Bool {
    guard let start = text.baseAddress else { return false }
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

  /// The result of comparing bytes. The compiler vectorises comparisons only if this type is written out.
  private typealias Mask = SIMDMask<SIMD16<Int8>>

  /// Sets all bits of the bytes that are an at sign, a plus sign or a colon, and no bit of the others.
  @inline(__always)
  private static func signs(_ bytes: SIMD16<UInt8>) -> SIMD16<UInt8> {
    let at: Mask = bytes .== SIMD16(repeating: UInt8(ascii: "@"))
    let plus: Mask = bytes .== SIMD16(repeating: UInt8(ascii: "+"))
    let colon: Mask = bytes .== SIMD16(repeating: UInt8(ascii: ":"))
    return unsafeBitCast(at .| plus .| colon, to: SIMD16<UInt8>.self)
  }

  /// Sets the highest bit of the bytes that are not ASCII and of DEL (0x7F), to which adding 1 sets that bit.
  @inline(__always)
  private static func unusual(_ bytes: SIMD16<UInt8>) -> SIMD16<UInt8> { bytes | (bytes &+ SIMD16(repeating: 1)) }
}
