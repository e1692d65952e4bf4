/// Random changes to bytes, such as faulty disks, faulty programs and attackers make.
package enum Mutation {
  /// Returns a changed copy of one of the samples.
  package static func mutant(of samples: [[UInt8]], using random: inout some RandomNumberGenerator) -> [UInt8] {
    var bytes = samples.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, samples, using: &random) }
    return bytes
  }

  private static func mutate(_ bytes: inout [UInt8], _ samples: [[UInt8]], using random: inout some RandomNumberGenerator) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    let end = min(bytes.count, place + Int.random(in: 1...32, using: &random))
    switch Int.random(in: 0..<9, using: &random) {
    case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 2: bytes.removeSubrange(place..<end)
    case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
    case 4: bytes.removeSubrange(place...)
    case 5:
      // Replaces bytes by a part of another sample.
      guard let other = samples.randomElement(using: &random), !other.isEmpty else { return }
      let start = Int.random(in: 0..<other.count, using: &random)
      bytes.replaceSubrange(place..<end, with: other[start..<min(other.count, start + 64)])
    case 6: replaceNumber(in: &bytes, near: place, using: &random)
    case 7 where bytes.count >= 8 && place <= bytes.count - 8:
      // Writes a 64-bit word that may be read as a length or an offset out of bounds.
      let word = words.randomElement(using: &random) ?? 0
      for index in 0..<8 { bytes[place + index] = UInt8(truncatingIfNeeded: word >> (8 * UInt64(index))) }
    default:
      bytes.replaceSubrange(
        place..<(Bool.random(using: &random) ? end : place), with: tokens.randomElement(using: &random) ?? [])
    }
  }

  /// Replaces a number in the bytes by one at a limit.
  private static func replaceNumber(in bytes: inout [UInt8], near place: Int, using random: inout some RandomNumberGenerator) {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let start = bytes[place...].firstIndex(where: digits.contains) else { return }
    let end = bytes[start...].firstIndex { !digits.contains($0) } ?? bytes.count
    bytes.replaceSubrange(start..<end, with: Array((numbers.randomElement(using: &random) ?? "0").utf8))
  }

  private static let words: [UInt64] = [
    0, 1, 0xFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, .max, .max - 7,
  ]

  private static let numbers = [
    "0", "-0", "-1", "1e999", "-1e999", "1e-999", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "-9223372036854775809", "18446744073709551615", "18446744073709551616", "4294967296", "2147483648", "0.1e+1", "00", "1.",
    ".5",
    String(repeating: "9", count: 400), "0." + String(repeating: "3", count: 400), "253402300799999", "-62167219200000", "1e15",
    "9007199254740993",
  ]

  private static let tokens: [[UInt8]] =
    [
      [0], [0, 0, 0, 0], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x80], [0xEF, 0xBB, 0xBF],
      [0x1F, 0x8B],
      [0x1F, 0x8B, 8, 4],
    ]
    + [
      "\r\n", "\n", "\r", "\u{1B}[31m", "\u{202E}", "\u{2028}", "\u{FEFF}", "\u{7F}", "\u{85}", "\\u0000", "\\ud800",
      "\\udc00\\ud800", "\\u00", "\\",
      "\"", "{", "}", "[", "]", ",", ":", "null", "true", "{\"a\":1}", "[[[[[[[[", "\"v\":2,", "\"v\":99,", "\"ts\":",
      "\"ts\":0,",
      "0000-01-01T00:00:00Z", "9999-12-31T23:59:60Z", "9999-12-31T23:59:59.999999999+00:00", "0000-01-01T00:00:00+23:59",
      "2024-02-30T00:00:00Z", "2024-02-29T24:00:00Z", "2026-11-20T10:15:30-23:59", "9999999999d", "3650d", "3651d", "0ms",
      "-1d", "1e3d",
      "\"props\":{\"\":null},", "\"subject\":\"+4915112345678\",", "(a+)+$", "*", "?", "{1,99999999}", "$props.", "$",
      "../../etc/passwd", "%s%n",
      String(repeating: "a", count: 300), String(repeating: "é", count: 64),
    ].map { Array($0.utf8) }
}
