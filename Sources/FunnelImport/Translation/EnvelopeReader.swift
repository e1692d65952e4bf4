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
  private let dropsDevicePrefix: Bool

  /// The number of bytes of an invalid time that an error message shows.
  private static let shownBytesMax = 60
  /// The text before a subject that Mixpanel derived from a device.
  private static let devicePrefix: StaticString = "$device:"

  /// Creates a reader for the paths of a plan.
  init(_ plan: ImportPlan) {
    time = ImportedTime(notation: plan.timeNotation, zone: plan.sourceZone)
    subject = plan.subject
    timestamp = plan.timestamp
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

  /// Returns the time in a field.
  ///
  /// - Throws: A rejection if the value is not a time, or has no time zone and no default zone is given.
  @inline(__always)
  func timestamp(_ field: Int, of record: ImportedRecord) throws(ImportRejection) -> Timestamp {
    let value = record.fields[field]
    if let time = time.timestamp(value) { return time }
    let shown =
      if let string = value.string { String(decoding: string.extracting(first: Self.shownBytesMax)).quoted } else {
        value.kindName
      }
    throw .invalid("ts: \(shown) is not a time, or has no time zone; give the zone of such times with --source-tz")
  }
}
