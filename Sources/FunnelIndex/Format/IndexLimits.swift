internal import FunnelModel

/// The limits on the size of the index and its dictionaries. They bound memory use for any number of distinct
/// values in the log.
///
/// Values beyond a limit are not indexed. The sorted run records this, and a query that uses such values reads the log.
enum IndexLimits {
  /// The largest number of values of one key of `ctx` or `props`.
  static let valuesOfKeyMax = Limits.indexValuesOfKeyMax
  /// The largest number of measured properties of one dictionary. Further properties with too many values are dropped.
  static let measuresMax = Limits.indexMeasuresMax
  /// The largest number of keys of `ctx`, and of `props`.
  static let keysMax = Limits.indexKeysMax
  /// The number of distinct contents of `ctx`, or of `props`, above which the keys with the most values are retired
  /// (``DimensionRecorder``).
  static let contentsMax = Limits.indexContentsMax
  /// The total size of these contents in bytes above which the same happens.
  static let contentBytesMax = Limits.indexContentBytesMax
  /// The largest number of event types; a log with more has no index.
  static let typesMax = Limits.indexTypesMax
  /// The number of bytes of recorded rows at which they are written as a sorted run while the log is indexed.
  static let batchBytesTarget = 96 << 20
  /// The largest number of events of one sorted run: a partition counts its events in 31 bits.
  static let eventsOfRunMax = Limits.indexRunEventsMax
  /// The largest number of event classes of one event type, or of segments, that are computed before a report begins.
  static let combinationsMax = Limits.combinationsMax

  /// Returns the next smaller limit on the values of one key. The limits are 4096, 256, 16, 1 and 0.
  static func tightened(_ valuesMax: UInt32) -> UInt32 { valuesMax / tighteningDivisor }

  private static let tighteningDivisor: UInt32 = 16  // reaches 0 from 4096 in four steps
}
