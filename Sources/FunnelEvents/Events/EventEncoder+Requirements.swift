internal import FunnelModel

/// The rules for single fields, with the words of `funnel ingest`.
extension EventEncoder {
  static func requireName(_ text: String, _ field: String) throws(EventRecorderError) {
    let bytes = text.utf8
    let isName =
      bytes.count <= Limits.nameBytesMax && bytes.first.map { (97...122).contains($0) } == true
      && bytes.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "_") }
    guard isName else {
      throw EventRecorderError(
        .invalidField,
        "\(field) must be a lower-case letter and then up to \(Limits.nameBytesMax - 1) lower-case letters, digits and underscores"
      )
    }
  }

  static func requireIdentifier(_ text: String, _ field: String, isEmptyAllowed: Bool) throws(EventRecorderError) {
    guard isEmptyAllowed || !text.isEmpty else { throw EventRecorderError(.invalidField, "\(field) is empty; give one") }
    guard text.utf8.count <= Limits.identifierBytesMax else {
      throw EventRecorderError(
        .invalidField, "\(field) has \(text.utf8.count) bytes; \(Limits.identifierBytesMax) are allowed")
    }
  }

  static func requireValues(_ members: [(key: String, value: PropertyValue)], in place: String) throws(EventRecorderError) {
    guard members.count <= Limits.objectKeysMax else {
      throw EventRecorderError(
        .invalidField, "\(place) has \(members.count) keys; \(Limits.objectKeysMax) are allowed, log less with the event")
    }
    for case (let key, .double(let number)) in members where !number.isFinite {
      throw EventRecorderError(
        .invalidField, "\(place).\(key.printable) is \(number), which JSON can't represent; leave it out")
    }
  }

  static func requireTime(_ time: Timestamp, now: Timestamp) throws(EventRecorderError) {
    guard time.milliseconds >= Limits.timestampMillisecondsMin else {
      throw EventRecorderError(.timestampOutOfRange, "ts is before 2007-01-01; set the device's clock")
    }
    guard time.milliseconds - Limits.futureMillisecondsMax <= now.milliseconds else {
      throw EventRecorderError(.timestampOutOfRange, "ts is more than 24 hours after the clock (\(now)); give the true time")
    }
  }
}
