import FunnelModel

/// Writes timestamps, and caches the text of the last day.
struct TimestampWriter {
  private var midnight = Int64.max
  private var date: [UInt8] = []

  /// Appends `2026-11-20T10:15:30.123Z`, 24 bytes.
  @inline(__always)
  mutating func append(_ timestamp: Timestamp, to buffer: inout RecordBuffer) {
    let sinceMidnight = timestamp.milliseconds &- midnight
    if midnight == .max || sinceMidnight < 0 || sinceMidnight >= Timestamp.millisecondsPerDay { begin(timestamp.day) }
    let rest = Int(truncatingIfNeeded: timestamp.milliseconds &- midnight)
    date.withUnsafeBytes { buffer.append($0) }
    buffer.append(UInt8(ascii: "T"))
    buffer.appendDigits(rest / 3_600_000, width: 2)
    buffer.append(UInt8(ascii: ":"))
    buffer.appendDigits(rest / 60_000 % 60, width: 2)
    buffer.append(UInt8(ascii: ":"))
    buffer.appendDigits(rest / 1000 % 60, width: 2)
    buffer.append(UInt8(ascii: "."))
    buffer.appendDigits(rest % 1000, width: 3)
    buffer.append(UInt8(ascii: "Z"))
  }

  private mutating func begin(_ day: CivilDate) {
    midnight = day.midnight.milliseconds
    date.removeAll(keepingCapacity: true)
    day.append(to: &date)
  }
}
