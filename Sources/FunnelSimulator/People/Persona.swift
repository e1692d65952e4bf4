/// The properties of a subject that do not change from event to event.
///
/// A persona is never stored. It is determined by the seed, the app and the subject's number, and is derived again when one of its
/// events is written, which keeps a pending event small.
struct Persona {
  /// The key from which all random numbers of this subject are derived.
  var key: UInt64
  var app: SimulatedApp
  var build: AppBuild
  var system: Int
  var device: Int
  var place: Int
  /// Whether the subject sees variant B of the pre-prompts.
  var isVariantB: Bool
  /// The time its events take to reach the collector, in milliseconds.
  var latencyMilliseconds: Int64
  /// The time by which its clock is ahead, in milliseconds; negative if it is behind.
  var clockSkewMilliseconds: Int64
  /// The interval between its syncs in milliseconds, or 0 if it sends at once.
  var syncPeriodMilliseconds: Int64
  /// The defect of the app that the subject meets.
  var fault: Fault

  /// Whether its events carry `sent_at` and `received_at`. Either all or none do, so that correcting the clock moves them alike.
  var reportsTransit: Bool { clockSkewMilliseconds != 0 || syncPeriodMilliseconds != 0 }
}
