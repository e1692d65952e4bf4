/// Decodes the bytes of a rejected line in several ways, because they need not be UTF-8.
enum TextReadings {
  /// Whether a decoding of a line satisfies a predicate.
  ///
  /// The decodings are the line itself and, if it contains zero bytes, the line without them and the line as UTF-16 of
  /// either byte order.
  static func contains(_ line: UnsafeRawBufferPointer, where body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    if body(line) { return true }
    // Each ASCII letter has one zero byte in UTF-16, and three in UTF-32.
    guard line.contains(0) else { return false }
    if line.filter({ $0 != 0 }).withUnsafeBytes(body) { return true }
    // A file in UTF-16 is split after each byte 0x0A, so a line may start and end with half a code unit.
    for start in 0...1 {
      for isBigEndian in [false, true] {
        let units = (0..<(line.count - start) / 2).lazy.map { unit in
          let first = UInt16(line[start + 2 * unit])
          let second = UInt16(line[start + 2 * unit + 1])
          return isBigEndian ? first << 8 | second : second << 8 | first
        }
        if Array(String(decoding: units, as: UTF16.self).utf8).withUnsafeBytes(body) { return true }
      }
    }
    return false
  }
}
