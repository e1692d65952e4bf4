import FunnelModel

/// Reads the subject and the time of imported records.
struct EnvelopeReader {
  /// The subject of a record.
  enum Subject: ~Escapable {
    /// A string. It is valid as long as the record.
    case string(Span<UInt8>)
    /// The digits of a number.
    case number([UInt8])
  }

  private let time: ImportedTime
  private let subject: [ImportPlan.Candidate]
  private let timestamp: [ImportPlan.Candidate]
  private let receipt: ImportPlan.Candidate?
  private let dropsDevicePrefix: Bool

  /// The number of bytes of an invalid time that an error message shows.
  private static let shownBytesMax = 60
  /// The text before a subject that Mixpanel derived from a device.
  private static let devicePrefix: StaticString = "$device:"

  /// Creates a reader for the paths of a plan.
  init(_ plan: ImportPlan) {
    time = ImportedTime(notation: plan.timeNotation, form: plan.timeForm, zone: plan.sourceZone)
    subject = plan.subject
    timestamp = plan.timestamp
    receipt = plan.receipt
    dropsDevicePrefix = plan.dropsDevicePrefix
  }

  /// Returns the field index of the subject.
  ///
  /// - Throws: A rejection if no candidate has a value.
  func subjectField(of record: ImportedRecord) throws(ImportRejection) -> Int {
    if let field = record.firstPresent(subject) { return field }
    throw .missing(
      "subject: the record has none of \(subject.map(\.path).joined(separator: ", ")); name another path in a mapping (--map)")
  }

  /// Returns the subject in a field.
  ///
  /// - Throws: A rejection if the value is neither a string nor a number, or is a placeholder.
  @inline(__always)
  @_lifetime(copy record)
  func subject(_ field: Int, of record: ImportedRecord) throws(ImportRejection) -> Subject {
    let value = record.fields[field]
    guard let string = value.string else {
      guard let number = value.numberText else {
        throw .invalid("subject is \(value.kindName); a string is needed")
      }
      if PlaceholderIDs.contains(number.span) { throw Self.placeholder(number) }
      return .number(number)
    }
    let hasPrefix = dropsDevicePrefix && string.starts(with: Self.devicePrefix)
    let id = string.extracting(droppingFirst: hasPrefix ? Self.devicePrefix.utf8CodeUnitCount : 0)
    if PlaceholderIDs.contains(id) { throw Self.placeholder([UInt8](copying: id)) }
    return .string(id)
  }

  /// Returns the rejection of a placeholder.
  private static func placeholder(_ id: [UInt8]) -> ImportRejection {
    .invalid(
      "subject: \(String(decoding: id, as: UTF8.self).quoted) is a placeholder, not an id; it would count different people as one"
    )
  }

  /// Returns the field index of the time.
  ///
  /// - Throws: A rejection if no candidate has a value.
  func timestampField(of record: ImportedRecord) throws(ImportRejection) -> Int {
    if let field = record.firstPresent(timestamp) { return field }
    throw .missing("ts: the record has no \(timestamp.map(\.path).joined(separator: ", ")); an event needs a time")
  }

  /// Returns the milliseconds from the time of a record to its receipt by the vendor, or `nil` if the record has no stamp of it.
  ///
  /// - Throws: A rejection if the record happened more than a day after its receipt, which can't be.
  @inline(__always)
  func receiptDelay(of record: ImportedRecord, after time: Timestamp) throws(ImportRejection) -> Int64? {
    // A stamp is in UTC, whatever the notation of the record's own time.
    guard let receipt, let field = record.present(receipt.slot),
      case .time(let received) = ImportedTime(notation: .any, form: nil, zone: .utc).parse(record.fields[field])
    else { return nil }
    let delay = received.milliseconds - time.milliseconds
    if delay < -Limits.futureMillisecondsMax {
      throw .outOfRange("ts is more than 24 hours after \(receipt.path), when the record was received")
    }
    return delay
  }

  /// Returns the rejection of a value that is not a time, or has no zone.
  private func rejection(of value: ImportedValue, _ outcome: ImportedTime.Outcome) -> ImportRejection {
    let shown =
      if let string = value.string { String(decoding: string.extracting(first: Self.shownBytesMax)).quoted } else {
        value.numberText.map { String(decoding: $0, as: UTF8.self) } ?? value.kindName
      }
    if outcome == .zoneMissing {
      return .invalid("ts: \(shown) has no time zone; give the zone of such times with --source-tz")
    }
    if let form = time.form { return .invalid("ts: \(shown) does not have the form \(form.text) that the mapping names") }
    let path = timestamp.first?.path ?? "time"
    return .invalid(
      "ts: \(shown) is not a time that can be read without its form; name it in a mapping (--map), "
        + #"as in "ts": {"path": "\#(path)", "format": "dd.MM.yyyy HH:mm"}"#)
  }

  /// Returns the time in a field.
  ///
  /// - Throws: A rejection if the value is not a time, or has no time zone and no default zone is given.
  @inline(__always)
  func timestamp(_ field: Int, of record: ImportedRecord) throws(ImportRejection) -> Timestamp {
    let value = record.fields[field]
    let outcome = time.parse(value)
    if case .time(let time) = outcome { return time }
    throw rejection(of: value, outcome)
  }
}
