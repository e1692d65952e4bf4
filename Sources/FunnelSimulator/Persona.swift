/// A subject: everything about it that doesn't change from event to event.
///
/// A persona is never kept. It follows from the seed, the app and the subject's number, and is derived again when one of its events
/// is written: that is what keeps a pending event small.
struct Persona {
  /// What all random numbers of this subject come from.
  var key: UInt64
  var app: SimulatedApp
  var build: AppBuild
  var system: Int
  var device: Int
  var place: Int
  /// Whether it sees variant B of the pre-prompts.
  var isVariantB: Bool
  /// How long its events travel to the collector, in milliseconds.
  var latencyMilliseconds: Int64
  /// How far its clock is ahead, in milliseconds.
  var clockSkewMilliseconds: Int64
  /// How often it syncs, in milliseconds; 0: at once.
  var syncPeriodMilliseconds: Int64
  /// How the app misbehaves for it.
  var fault: Fault

  /// A breach of the flow's rules.
  enum Fault: UInt8 {
    case none
    /// The system's dialog comes without pre-prompt.
    case unprimedDialog
    /// "You're all set!" is shown, although not all was granted.
    case falseAllSet
  }

  /// Whether its events carry `sent_at` and `received_at`: all of them do or none, so that putting the clock right moves them alike.
  var reportsTransit: Bool { clockSkewMilliseconds != 0 || syncPeriodMilliseconds != 0 }
}
