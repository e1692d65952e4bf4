/// What the bytes of a refused line may say: they need not be the UTF-8 they should be.
enum TextReadings {
  /// Calls the body with the line as it is and, where it has zeros, as UTF-16 of either byte order and without them; until one returns true.
  static func contains(_ line: UnsafeRawBufferPointer, where body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    if body(line) { return true }
    // UTF-16 has a zero beside each letter of a key, UTF-32 three.
    guard line.contains(0) else { return false }
    if line.filter({ $0 != 0 }).withUnsafeBytes(body) { return true }
    // A log in UTF-16 is cut behind every byte 0x0A: a line may begin, and end, with half a character.
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
