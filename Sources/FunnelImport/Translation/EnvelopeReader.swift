import FunnelModel

/// Reads the subject, the user and the time of imported records.
struct EnvelopeReader {
  /// The subject or the user of a record.
  enum PersonID: ~Escapable {
    /// A string. It is valid as long as the record.
    case string(Span<UInt8>)
    /// The digits of a number.
    case number([UInt8])

    /// A copy of the ID.
    var text: [UInt8] {
      switch self {
      case .string(let text): [UInt8](copying: text)
      case .number(let digits): digits
      }
    }
  }

  private let time: ImportedTime
  private let subject: [ImportPlan.Candidate]
  private let user: ImportPlan.UserPlan
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
    user = plan.user
    timestamp = plan.timestamp
    receipt = plan.receipt
    dropsDevicePrefix = plan.dropsDevicePrefix
  }

  /// Returns the field index of the subject.
  ///
  /// - Parameter link: The IDs that the record links, or `nil` if it links none.
  /// - Throws: A rejection if no candidate has a value.
  func subjectField(of record: ImportedRecord, link: ImportPlan.LinkPlan?) throws(ImportRejection) -> Int {
    if let candidate = link?.subject, let field = record.present(candidate.slot) { return field }
    if let field = record.firstPresent(subject) { return field }
    throw .missing(
      "subject: the record has none of \(subject.map(\.path).joined(separator: ", ")); name another path in a mapping (--map)")
  }

  /// Returns whether a record has a subject and a user, which are not the same value.
  func hasBothIDs(of link: ImportPlan.LinkPlan, _ record: ImportedRecord) -> Bool {
    guard let user = record.present(link.user.slot) else { return false }
    if let own = link.subject, let field = record.present(own.slot) { return field != user }
    return record.firstPresent(subject).map { $0 != user } ?? false
  }

  /// Returns the subject in a field.
  ///
  /// - Throws: A rejection if the value is neither a string nor a number, or is a placeholder.
  @inline(__always)
  @_lifetime(copy record)
  func subject(_ field: Int, of record: ImportedRecord) throws(ImportRejection) -> PersonID {
    let value = record.fields[field]
    guard let string = value.string else {
      guard let number = value.numberText else {
        throw .invalid("subject is \(value.kindName); a string is needed")
      }
      if PlaceholderIDs.contains(number.span) { throw Self.placeholder(number) }
      return .number(number)
    }
    let id = withoutDevicePrefix(string)
    if PlaceholderIDs.contains(id) { throw Self.placeholder([UInt8](copying: id)) }
    return .string(id)
  }

  /// Returns an ID without the prefix of those that Mixpanel derived from a device.
  @inline(__always)
  @_lifetime(copy id)
  private func withoutDevicePrefix(_ id: Span<UInt8>) -> Span<UInt8> {
    id.extracting(droppingFirst: hasDevicePrefix(id) ? Self.devicePrefix.utf8CodeUnitCount : 0)
  }

  @inline(__always)
  private func hasDevicePrefix(_ id: Span<UInt8>) -> Bool { dropsDevicePrefix && id.starts(with: Self.devicePrefix) }

  /// Returns the source of the user in records with the layout of this one, or `nil` if they have none.
  ///
  /// - Parameter link: The IDs that the record links, or `nil` if it links none.
  func userSource(of record: ImportedRecord, link: ImportPlan.LinkPlan?) -> TranslationPlan.UserSource? {
    for candidate in [link?.user].compactMap(\.self) + user.accounts {
      if let field = record.present(candidate.slot) {
        return TranslationPlan.UserSource(field: field, path: candidate.path, deviceField: nil)
      }
    }
    guard let distinct = user.distinct, let field = record.present(distinct.id.slot),
      let device = record.present(distinct.device.slot)
    else { return nil }
    return TranslationPlan.UserSource(
      field: field, path: distinct.id.path, deviceField: device,
      identifiedField: user.identifiedSlot.flatMap { record.present($0) })
  }

  /// Returns the user of a record, or `nil` if the ID is a placeholder or that of the device.
  ///
  /// - Throws: A rejection if the value is neither a string nor a number.
  @_lifetime(copy record)
  func user(_ source: TranslationPlan.UserSource, of record: ImportedRecord) throws(ImportRejection) -> PersonID? {
    let value = record.fields[source.field]
    if let device = source.deviceField, isDevice(value, record.fields[device]) { return nil }
    if let identified = source.identifiedField, record.fields[identified].kind == .false { return nil }
    guard let string = value.string else {
      guard let number = value.numberText else {
        throw .invalid("user: \(source.path) is \(value.kindName); a string is needed")
      }
      return PlaceholderIDs.contains(number.span) ? nil : .number(number)
    }
    let id = withoutDevicePrefix(string)
    return PlaceholderIDs.contains(id) ? nil : .string(id)
  }

  /// Whether an ID is that of the device, or was derived from one.
  private func isDevice(_ id: ImportedValue, _ device: ImportedValue) -> Bool {
    if let string = id.string, hasDevicePrefix(string) { return true }
    return id.scalarText == device.scalarText
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

  /// Returns the reason why a record has no subject, or `nil` if it has one.
  ///
  /// - Parameter link: The IDs that the record links, or `nil` if it links none.
  func subjectRejection(of record: ImportedRecord, link: ImportPlan.LinkPlan?) -> ImportRejection? {
    do throws(ImportRejection) {
      _ = try subject(try subjectField(of: record, link: link), of: record)
      return nil
    } catch {
      return error
    }
  }

  /// Returns the reason why a record has no time, or `nil` if it has one. A time without a zone is one.
  func timeRejection(of record: ImportedRecord) -> ImportRejection? {
    do throws(ImportRejection) {
      let value = record.fields[try timestampField(of: record)]
      return time.parse(value) == .notATime ? rejection(of: value, .notATime) : nil
    } catch {
      return error
    }
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
