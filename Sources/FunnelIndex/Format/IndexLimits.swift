internal import FunnelModel

/// The limits of the memory that the index's dictionaries use, however many distinct values a log contains.
///
/// Values beyond a limit are not indexed, which the run records: a query about them reads the log.
enum IndexLimits {
  /// The largest number of values of one key of `ctx` or `props`.
  static let valuesOfKeyMax = Limits.indexValuesOfKeyMax
  /// The largest number of measured properties of one dictionary. Others with too many values are dropped.
  static let measuresMax = Limits.indexMeasuresMax
  /// The largest number of keys of `ctx`, and of `props`.
  static let keysMax = Limits.indexKeysMax
  /// The number of distinct contents of `ctx`, or of `props`, above which the keys with the most values are retired
  /// (``DimensionRecorder``).
  static let contentsMax = Limits.indexContentsMax
  /// The number of bytes of such contents above which they are dropped.
  static let contentBytesMax = Limits.indexContentBytesMax
  /// The largest number of event types; a log with more has no index.
  static let typesMax = Limits.indexTypesMax
  /// The number of bytes of recorded rows at which indexing the log writes them as a run.
  static let batchBytesTarget = 96 << 20
  /// The largest number of events of one run: a partition counts its events in 31 bits.
  static let eventsOfRunMax = Limits.indexRunEventsMax
  /// The largest number of distinct meanings of one event type, or of segments, that are computed before a report begins.
  static let combinationsMax = Limits.combinationsMax

  /// Returns the next smaller limit of the values of one key: 4096, 256, 16, 1, 0.
  static func tightened(_ valuesMax: UInt32) -> UInt32 { valuesMax / 16 }
}
