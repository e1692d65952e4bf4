/// Possible decodings of the bytes of a rejected line, which need not be UTF-8.
enum TextReadings {
  /// Calls a closure with the line unchanged and, if it contains zero bytes, without them and decoded as UTF-16 of either byte order,
  /// until one call returns true.
  static func contains(_ line: UnsafeRawBufferPointer, where body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    if body(line) { return true }
    // UTF-16 has one zero byte beside each ASCII letter, UTF-32 three.
    guard line.contains(0) else { return false }
    if line.filter({ $0 != 0 }).withUnsafeBytes(body) { return true }
    // A log in UTF-16 is split after every byte 0x0A, so a line may begin and end with half a code unit.
    for start in 0...1 {
      for isBigEndian in [false, true] {
        let units = (0..<(line.count - start) / 2).lazy.map { unit in
          let (first, second) = (UInt16(line[start + 2 * unit]), UInt16(line[start + 2 * unit + 1]))
          return isBigEndian ? first << 8 | second : second << 8 | first
        }
        if Array(String(decoding: units, as: UTF16.self).utf8).withUnsafeBytes(body) { return true }
      }
    }
    return false
  }
}
