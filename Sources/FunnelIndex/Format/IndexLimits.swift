internal import FunnelModel

/// What bounds the memory the index's dictionaries take, however many different things a log holds.
///
/// What goes over a limit is not indexed, and said so in the run: a query about it reads the log.
enum IndexLimits {
  /// Most values of one key of `ctx` or `props`.
  static let valuesOfKeyMax = Limits.indexValuesOfKeyMax
  /// Most keys of `ctx`, and of `props`.
  static let keysMax = Limits.indexKeysMax
  /// Different contents of `ctx`, or of `props`, after which the keys with the most values are left out.
  static let contentsMax = Limits.indexContentsMax
  /// Bytes of such contents after which they are.
  static let contentBytesMax = Limits.indexContentBytesMax
  /// Most event types; a log with more has no index.
  static let typesMax = Limits.indexTypesMax
  /// Bytes of recorded rows after which reading the log into the index makes a run of them.
  static let batchBytesTarget = 96 << 20
  /// Most events of one run: a partition counts its events in 31 bits.
  static let eventsOfRunMax = Limits.indexRunEventsMax
  /// Most different meanings of one event type, or segments, that are worked out before a report begins.
  static let combinationsMax = Limits.combinationsMax

  /// The next smaller limit of values of one key: 4096, 256, 16, 1, 0.
  static func tightened(_ valuesMax: UInt32) -> UInt32 { valuesMax / 16 }
}
