import FunnelModel

/// Reads the subject and the time of imported records.
struct EnvelopeReader {
  /// A subject, which is either a string or a number.
  struct Subject {
    /// The string, valid as long as the record, or `nil` if the subject is a number.
    let text: UnsafeRawBufferPointer?
    /// The digits of the number, or `nil` if the subject is a string.
    let number: [UInt8]?
  }

  private let time: ImportedTime
  private let subject: [ImportPlan.Candidate]
  private let timestamp: [ImportPlan.Candidate]
  private let dropsDevicePrefix: Bool

  /// The number of bytes of an invalid time that an error message shows.
  private static let shownBytesMax = 60

  /// Creates a reader for the paths of a plan.
  init(_ plan: ImportPlan) {
    time = ImportedTime(reading: plan.timeReading, zone: plan.sourceZone)
    subject = plan.subject
    timestamp = plan.timestamp
    dropsDevicePrefix = plan.dropsDevicePrefix
  }

  /// Returns the field index of the subject.
  ///
  /// - Throws: A rejection if no candidate has a value.
  func subjectField(of record: ImportedRecord) throws(RecordTranslator.Refusal) -> Int {
    if let field = record.firstPresent(subject) { return field }
    throw RecordTranslator.Refusal(
      isMissing: true,
      message:
        "subject: the record has none of \(subject.map(\.path).joined(separator: ", ")); name another path in a mapping (--map)"
    )
  }

  /// Returns the subject in a field.
  ///
  /// - Throws: A rejection if the value is neither a string nor a number, or is a placeholder.
  @inline(__always)
  func subject(_ field: Int, of record: ImportedRecord) throws(RecordTranslator.Refusal) -> Subject {
    guard var text = record.fields[field].string else {
      guard let number = record.fields[field].numberText else {
        throw RecordTranslator.Refusal(
          isMissing: false, message: "subject is \(record.fields[field].kindName); a string is needed")
      }
      if number.withUnsafeBytes({ BannedIdentities.contains($0) }) { throw Self.placeholder(number) }
      return Subject(text: nil, number: number)
    }
    let prefix: StaticString = "$device:"
    if dropsDevicePrefix, text.starts(with: UnsafeRawBufferPointer(prefix)) {
      text = UnsafeRawBufferPointer(rebasing: text[prefix.utf8CodeUnitCount...])
    }
    if BannedIdentities.contains(text) { throw Self.placeholder(Array(text)) }
    return Subject(text: text, number: nil)
  }

  /// Returns the rejection of a placeholder.
  private static func placeholder(_ id: [UInt8]) -> RecordTranslator.Refusal {
    RecordTranslator.Refusal(
      isMissing: false,
      message:
        "subject: \(String(decoding: id, as: UTF8.self).quoted) is a placeholder, not an id; it would count different people as one"
    )
  }

  /// Returns the field index of the time.
  ///
  /// - Throws: A rejection if no candidate has a value.
  func timestampField(of record: ImportedRecord) throws(RecordTranslator.Refusal) -> Int {
    if let field = record.firstPresent(timestamp) { return field }
    throw RecordTranslator.Refusal(
      isMissing: true,
      message: "ts: the record has no \(timestamp.map(\.path).joined(separator: ", ")); an event needs a time")
  }

  /// Returns the time in a field.
  ///
  /// - Throws: A rejection if the value is not a time, or has no time zone and no default zone is given.
  @inline(__always)
  func timestamp(_ field: Int, of record: ImportedRecord) throws(RecordTranslator.Refusal) -> Timestamp {
    let value = record.fields[field]
    if let moment = time.timestamp(value) { return moment }
    let shown = value.string.map { String(decoding: $0.prefix(Self.shownBytesMax), as: UTF8.self).quoted } ?? value.kindName
    throw RecordTranslator.Refusal(
      isMissing: false, message: "ts: \(shown) is not a time, or has no time zone; give the zone of such times with --source-tz"
    )
  }
}
