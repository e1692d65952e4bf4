/// An event on its way to the collector: what is written once its time has come.
struct PendingEvent {
  var event: SimulatedEvent
  /// The number of the subject within its app.
  var subject: UInt32
  var app: SimulatedApp
  /// The event's number within its subject: its id comes from it, and its `seq`.
  var ordinal: UInt16
  /// How the line is spoilt.
  var damage = Damage.none
  /// Whether `sent_at` and `received_at` are written.
  var reportsTransit: Bool
  /// When it arrives, by a clock that is right; also `received_at`.
  var receivedMilliseconds: Int64
  /// How long it was under way.
  var transitMilliseconds: Int32

  /// What is wrong with a line.
  enum Damage: UInt8 {
    case none
    /// The name is misspelt: valid, but declared by no flow.
    case misspelt
    // What follows is rejected, each for one of the specification's reasons.
    case truncated, trailingComma, duplicateKey
    case invalidUTF8
    case notAnObject
    case missingTime, missingSubject
    case invalidName, invalidVersion
    case unsupportedEnvelope
    case timeOutOfRange
    case personalKey, personalValue

    /// All that a pipeline must reject.
    static let rejected: [Damage] = [
      .truncated, .trailingComma, .duplicateKey, .invalidUTF8, .notAnObject, .missingTime, .missingSubject, .invalidName,
      .invalidVersion, .unsupportedEnvelope, .timeOutOfRange, .personalKey, .personalValue,
    ]
  }
}
