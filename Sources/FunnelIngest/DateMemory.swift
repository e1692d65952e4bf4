import FunnelModel

/// Reads timestamps of the one form nearly all have, `2026-11-20T10:15:30.123Z`, and remembers the day of the last: it is mostly that of the next.
struct DateMemory {
  // The date as bytes: "2026-11-" and "20".
  private var dateWord: UInt64 = 0
  private var dayWord: UInt64 = 0
  private var midnight: Int64 = 0

  /// The moment, nil for any other form.
  @inline(__always)
  mutating func timestamp(_ text: UnsafeRawBufferPointer) -> Timestamp? {
    guard text.count == 24, let start = text.baseAddress else { return nil }
    let date = ByteWords.word(start)
    let day = ByteWords.word(start + 8) & 0xFFFF
    if date != dateWord || day != dayWord {
      guard let parsed = Timestamp(rfc3339: text) else { return nil }
      let midnight = parsed.day.midnight.milliseconds
      // A sixtieth second belongs to the next minute, perhaps to the next day, or to the year 10000.
      guard text[17] != UInt8(ascii: "6") else { return Timestamp.writable.contains(parsed) ? parsed : nil }
      (dateWord, dayWord, self.midnight) = (date, day, midnight)
    }
    let clock = start.assumingMemoryBound(to: UInt8.self) + 10
    guard clock[0] == UInt8(ascii: "T"), clock[3] == UInt8(ascii: ":"), clock[6] == UInt8(ascii: ":"),
      clock[9] == UInt8(ascii: "."), clock[13] == UInt8(ascii: "Z")
    else { return nil }
    let h1 = clock[1] &- 48, h2 = clock[2] &- 48, m1 = clock[4] &- 48, m2 = clock[5] &- 48, s1 = clock[7] &- 48,
      s2 = clock[8] &- 48
    let f1 = clock[10] &- 48, f2 = clock[11] &- 48, f3 = clock[12] &- 48
    guard h1 < 3, h2 < 10, m1 < 6, m2 < 10, s1 < 6, s2 < 10, f1 < 10, f2 < 10, f3 < 10 else { return nil }
    let hours = Int64(h1) &* 10 &+ Int64(h2)
    guard hours < 24 else { return nil }
    let minutes = hours &* 60 &+ Int64(m1) &* 10 &+ Int64(m2)
    let seconds = minutes &* 60 &+ Int64(s1) &* 10 &+ Int64(s2)
    let fraction = Int64(f1) &* 100 &+ Int64(f2) &* 10 &+ Int64(f3)
    return Timestamp(milliseconds: midnight &+ seconds &* 1000 &+ fraction)
  }
}
