/// An event on its way to the collector, written when it arrives.
struct PendingEvent {
  var event: SimulatedEvent
  /// The number of the subject within its app.
  var subject: UInt32
  var app: SimulatedApp
  /// The event's number within its subject, which determines its id and its `seq`.
  var ordinal: UInt16
  /// The damage to the line.
  var damage = Damage.none
  /// Whether `sent_at` and `received_at` are written.
  var reportsTransit: Bool
  /// The time of arrival by a correct clock, also written as `received_at`.
  var receivedMilliseconds: Int64
  /// The time in transit.
  var transitMilliseconds: Int32

  /// The kinds of damage to a line.
  enum Damage: UInt8 {
    case none
    /// The name is misspelt: the line is valid, but no flow declares the event.
    case misspelt
    // Each of the following is rejected, for one of the reasons in the specification.
    case truncated, trailingComma, duplicateKey
    case invalidUTF8
    case notAnObject
    case missingTime, missingSubject
    case invalidName, invalidVersion
    case unsupportedEnvelope
    case timeOutOfRange
    case personalKey, personalValue

    /// The kinds of damage that a pipeline must reject.
    static let rejected: [Damage] = [
      .truncated, .trailingComma, .duplicateKey, .invalidUTF8, .notAnObject, .missingTime, .missingSubject, .invalidName,
      .invalidVersion, .unsupportedEnvelope, .timeOutOfRange, .personalKey, .personalValue,
    ]
  }
}
