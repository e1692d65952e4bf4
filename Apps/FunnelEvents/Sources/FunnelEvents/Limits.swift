/// The limits of an event's fields, as `funnel ingest` has them (specification section 1).
enum Limits {
  /// The maximum length of a line, without its line feed.
  static let lineBytesMax = 1 << 20
  /// The maximum number of keys in `props` or `ctx`.
  static let objectKeysMax = 1024
  /// The maximum length of `name`, `app`, `flow` and `step`.
  static let nameBytesMax = 100
  /// The maximum length of `subject`, `user`, `attempt` and `id`.
  static let identifierBytesMax = 128
  /// The earliest time of an event, 2007-01-01T00:00:00Z, in milliseconds. There were no apps before the iPhone.
  static let timestampMillisecondsMin: Int64 = 1_167_609_600_000
  /// The maximum difference by which an event's time is ahead of the clock, 24 hours, in milliseconds.
  static let futureMillisecondsMax: Int64 = 86_400_000
}
