import FunnelModel

/// Parses timestamps of the most frequent form, `2026-11-20T10:15:30.123Z`.
///
/// It caches the date of the last timestamp, which the next one mostly shares, and parses the time of day eight
/// bytes at a time.
struct DateCache {
  /// The length of a timestamp of this form, in bytes.
  static let textCount = 24

  // The date in two words: "2026-11-" and "20".
  private var dateWord: UInt64 = 0
  private var dayWord: UInt64 = 0
  /// The start of that date, in milliseconds since 1970.
  private var midnight: Int64 = 0

  /// Returns the time, or `nil` if the text has another form.
  @inline(__always)
  mutating func timestamp(_ text: PaddedText) -> Timestamp? {
    guard text.count == Self.textCount else { return nil }
    let date = text.word(at: 0)
    let day = text.word(at: 8) & 0xFFFF
    if date != dateWord || day != dayWord {
      guard let parsed = Timestamp(rfc3339: text.span) else { return nil }
      let midnight = parsed.day.midnight.milliseconds
      // A leap second (`:60`) counts as the start of the next minute, which may be on the next day or in the
      // year 10000.
      guard text[17] != UInt8(ascii: "6") else { return Timestamp.writable.contains(parsed) ? parsed : nil }
      dateWord = date
      dayWord = day
      self.midnight = midnight
    }
    // "T10:15" and ":30.123Z", where each digit becomes its value, and each separator becomes zero.
    let minutes = text.word(at: 8) >> 16 ^ 0x3030_3A30_3054
    let seconds = text.word(at: 16) ^ 0x5A30_3030_2E30_303A
    // Separators must be zero, and digits at most 9: with 6 added, such a digit stays within its four bits.
    guard (minutes & 0xF0F0_FFF0_F0FF) | ((minutes &+ 0x0606_0006_0600) & 0xF0F0_00F0_F000) == 0,
      (seconds & 0xFFF0_F0F0_FFF0_F0FF) | ((seconds &+ 0x0006_0606_0006_0600) & 0x00F0_F0F0_00F0_F000) == 0
    else { return nil }
    func digit(_ word: UInt64, _ byte: UInt64) -> Int64 { Int64(truncatingIfNeeded: word >> (8 &* byte) & 0xF) }
    let hour = digit(minutes, 1) &* 10 &+ digit(minutes, 2)
    let minute = digit(minutes, 4) &* 10 &+ digit(minutes, 5)
    let second = digit(seconds, 1) &* 10 &+ digit(seconds, 2)
    guard hour < 24, minute < 60, second < 60 else { return nil }
    let fraction = digit(seconds, 4) &* 100 &+ digit(seconds, 5) &* 10 &+ digit(seconds, 6)
    return Timestamp(milliseconds: midnight &+ ((hour &* 60 &+ minute) &* 60 &+ second) &* 1000 &+ fraction)
  }
}
