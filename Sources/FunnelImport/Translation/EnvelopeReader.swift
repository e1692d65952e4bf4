import FunnelModel

/// Finds the subject and the time of records.
struct EnvelopeReader {
  /// A subject.
  struct Subject {
    /// Its text, valid as long as the record; nil if it is a number.
    let text: UnsafeRawBufferPointer?
    /// The text of a number.
    let number: [UInt8]?
  }

  private let time: ImportedTime
  private let subject: [ImportPlan.Candidate]
  private let timestamp: [ImportPlan.Candidate]
  private let dropsDevicePrefix: Bool

  init(_ plan: ImportPlan) {
    time = ImportedTime(reading: plan.timeReading, zone: plan.sourceZone)
    (subject, timestamp) = (plan.subject, plan.timestamp)
    dropsDevicePrefix = plan.dropsDevicePrefix
  }

  /// Returns the field of the subject.
  func subjectField(of record: ImportedRecord) throws(RecordTranslator.Refusal) -> Int {
    if let field = record.firstPresent(subject) { return field }
    throw RecordTranslator.Refusal(
      isMissing: true,
      message:
        "subject: the record has none of \(subject.map(\.path).joined(separator: ", ")); name another path in a mapping (--map)"
    )
  }

  /// Returns the subject in a field.
  @inline(__always)
  func subject(_ field: Int, of record: ImportedRecord) throws(RecordTranslator.Refusal) -> Subject {
    guard var text = record.fields[field].string else {
      guard let number = record.fields[field].numberText else {
        throw RecordTranslator.Refusal(
          isMissing: false, message: "subject is \(record.fields[field].kindName); a string is needed")
      }
      if number.withUnsafeBytes({ BannedIdentities.contains($0) }) { throw Self.nobody(number) }
      return Subject(text: nil, number: number)
    }
    let prefix: StaticString = "$device:"
    if dropsDevicePrefix, text.starts(with: UnsafeRawBufferPointer(prefix)) {
      text = UnsafeRawBufferPointer(rebasing: text[prefix.utf8CodeUnitCount...])
    }
    if BannedIdentities.contains(text) { throw Self.nobody(Array(text)) }
    return Subject(text: text, number: nil)
  }

  private static func nobody(_ id: [UInt8]) -> RecordTranslator.Refusal {
    RecordTranslator.Refusal(
      isMissing: false,
      message:
        "subject: \(String(decoding: id, as: UTF8.self).quoted) is a placeholder, not an id; it would count different people as one"
    )
  }

  /// Returns the field of the time.
  func timestampField(of record: ImportedRecord) throws(RecordTranslator.Refusal) -> Int {
    if let field = record.firstPresent(timestamp) { return field }
    throw RecordTranslator.Refusal(
      isMissing: true,
      message: "ts: the record has no \(timestamp.map(\.path).joined(separator: ", ")); an event needs a time")
  }

  /// Returns the time in a field.
  @inline(__always)
  func timestamp(_ field: Int, of record: ImportedRecord) throws(RecordTranslator.Refusal) -> Timestamp {
    let value = record.fields[field]
    if let moment = time.timestamp(value) { return moment }
    let shown = value.string.map { String(decoding: $0.prefix(60), as: UTF8.self).quoted } ?? value.kindName
    throw RecordTranslator.Refusal(
      isMissing: false, message: "ts: \(shown) is not a time, or has no time zone; give the zone of such times with --source-tz"
    )
  }
}
