import FunnelModel

/// Recognizes texts that look like a time, to infer which column of a table has the times of events.
public enum TimeText {
  /// Whether a text is a date and time, or a number of seconds, milliseconds or microseconds, between 2007 and 2100.
  public static func isTime(_ text: String) -> Bool {
    let time = ImportedTime(reading: .any, zone: .utc)
    guard let moment = Array(text.utf8).withUnsafeBytes({ time.timestamp(text: $0) }) else { return false }
    return plausible.contains(moment)
  }

  /// Whether a text is a date and time of day without a zone.
  public static func namesNoZone(_ text: String) -> Bool {
    isTime(text) && Array(text.utf8).withUnsafeBytes { ImportedTime(reading: .any, zone: nil).timestamp(text: $0) } == nil
  }

  /// From the start of 2007 to that of 2100: numbers outside are more likely counts or IDs.
  private static let plausible =
    Timestamp(milliseconds: 1_167_609_600_000)...Timestamp(milliseconds: 4_102_444_800_000)
}
