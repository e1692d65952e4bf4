import FunnelModel

/// Writes timestamps in RFC 3339 format. It caches the text of the last date.
struct TimestampWriter {
  /// The start of the cached date in milliseconds since 1970, or ``noDate``.
  private var midnight = noDate
  /// The text of the cached date.
  private var date: [UInt8] = []

  /// The start of no date: nothing is cached yet.
  private static let noDate = Int64.max

  /// Appends `2026-11-20T10:15:30.123Z`, 24 bytes.
  @inline(__always)
  mutating func append(_ timestamp: Timestamp, to buffer: inout RecordBuffer) {
    let sinceMidnight = timestamp.milliseconds &- midnight
    if midnight == Self.noDate || sinceMidnight < 0 || sinceMidnight >= Timestamp.millisecondsPerDay { begin(timestamp.day) }
    let milliseconds = Int(truncatingIfNeeded: timestamp.milliseconds &- midnight)
    buffer.append(date.span.bytes)
    buffer.append(UInt8(ascii: "T"))
    buffer.appendDigits(milliseconds / 3_600_000, width: 2)
    buffer.append(UInt8(ascii: ":"))
    buffer.appendDigits(milliseconds / 60_000 % 60, width: 2)
    buffer.append(UInt8(ascii: ":"))
    buffer.appendDigits(milliseconds / 1000 % 60, width: 2)
    buffer.append(UInt8(ascii: "."))
    buffer.appendDigits(milliseconds % 1000, width: 3)
    buffer.append(UInt8(ascii: "Z"))
  }

  /// Caches a date.
  private mutating func begin(_ day: CivilDate) {
    midnight = day.midnight.milliseconds
    date.removeAll(keepingCapacity: true)
    day.append(to: &date)
  }
}
