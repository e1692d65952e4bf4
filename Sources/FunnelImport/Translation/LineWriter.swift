import FunnelModel

/// Writes native events as lines of JSON, following translation plans. Not thread-safe: each worker owns one.
final class LineWriter {
  private let line: LineBuffer
  private let plan: ImportPlan
  /// The slots of the batch number and of the record number, or `nil` if the format has none.
  private let sequence: (batch: Int, record: Int)?
  /// Parses times of sending: in UTC, as numbers or as texts.
  private let sendingTime = ImportedTime(notation: .any, form: nil, zone: .utc)
  private let folded = FoldedTexts()
  /// The bytes of which the last derived ID is the hash.
  private let hashed = LineBuffer()

  /// Creates a writer that appends to a buffer.
  init(_ plan: ImportPlan, to line: LineBuffer) {
    self.line = line
    self.plan = plan
    sequence = plan.sequence
  }

  /// Appends the events of a record.
  ///
  /// - Throws: The reason why the record is not an event. The caller then has to remove the bytes that were appended.
  @inline(__always)
  func write(
    _ record: ImportedRecord, by plan: TranslationPlan, subject: EnvelopeReader.PersonID,
    user: EnvelopeReader.PersonID?, _ timestamp: Timestamp
  ) throws(ImportRejection) {
    let parts = plan.parts
    let texts = plan.texts
    for part in parts {
      line.append(copying: texts.span.extracting(part.text.range))
      switch part.value {
      case .nothing: break
      case .timestamp: line.appendDecimal(timestamp.milliseconds)
      case .subject: append(subject)
      case .user:
        guard let user else { break }
        line.append(",\"user\":")
        append(user)
      case .scalar(let field): record.fields[Int(field)].appendJSON(to: line)
      case .integer(let field): appendInteger(record.fields[Int(field)])
      case .cell(let field): appendCell(record.fields[Int(field)])
      case .folded(let field): appendFolded(record.fields[Int(field)])
      case .name(let field): try appendName(record.fields[Int(field)], plan.names[Int(part.event)])
      case .sequence: appendSequence(of: record)
      case .sentAt: appendSendingTime(of: record)
      case .id: appendID(ofEvent: Int(part.event), of: record, by: plan)
      }
    }
  }

  private func append(_ id: EnvelopeReader.PersonID) {
    switch id {
    case .string(let text): line.appendJSONString(text)
    case .number(let digits): line.appendJSONString(digits.span)
    }
  }

  /// Appends an integer that may be written as a string, or any other scalar unchanged.
  private func appendInteger(_ value: ImportedValue) {
    if let digits = value.integerText { line.append(copying: digits) } else { value.appendJSON(to: line) }
  }

  /// Appends a cell of CSV.
  private func appendCell(_ value: ImportedValue) {
    if let text = value.string, text.isJSONNumberOrBoolean { line.append(copying: text) } else { value.appendJSON(to: line) }
  }

  /// Appends the native form of a string or a number.
  private func appendFolded(_ value: ImportedValue) {
    let form = if let string = value.string { folded.form(of: string) } else { foldedNumber(value) }
    line.appendJSONString(form.span)
  }

  private func foldedNumber(_ value: ImportedValue) -> [UInt8] {
    let digits = value.numberText ?? []
    return NameFolding.fold(digits.span)
  }

  /// Appends the native form of an event name.
  ///
  /// - Throws: A rejection if the value is not a string with text.
  private func appendName(_ value: ImportedValue, _ name: TranslationPlan.Name) throws(ImportRejection) {
    if let string = value.string, !string.isEmpty { return line.appendJSONString(folded.form(of: string).span) }
    let source = if case .value(let path) = name { path } else { "name" }
    throw .invalid("name: the value of \(source) is not a text")
  }

  /// The maximum number of records in a batch: `seq` is the number of the batch times this, plus that of the record.
  private static let batchRecordsMax: Int64 = 1_000_000

  /// Appends the `seq` of a record, or nothing if the record has no batch number or the result overflows.
  private func appendSequence(of record: ImportedRecord) {
    guard let sequence, let batch = integer(at: sequence.batch, of: record), batch >= 0 else { return }
    let recordNumber = min(max(integer(at: sequence.record, of: record) ?? 0, 0), Self.batchRecordsMax - 1)
    let (start, isTooLarge) = batch.multipliedReportingOverflow(by: Self.batchRecordsMax)
    guard !isTooLarge, start <= Int64.max - recordNumber else { return }
    line.append(",\"seq\":")
    line.appendDecimal(start + recordNumber)
  }

  /// Appends the member `sent_at`, or nothing if the record has no such time or forbids the correction of its clock.
  private func appendSendingTime(of record: ImportedRecord) {
    guard let sending = plan.sending, let field = record.firstPresent(sending.slots),
      case .time(let time) = sendingTime.parse(record.fields[field])
    else { return }
    for slot in sending.exceptions {
      if let exception = record.present(slot), record.fields[exception].kind != .false { return }
    }
    line.append(",\"sent_at\":")
    line.appendDecimal(time.milliseconds)
  }

  /// Returns the integer in a slot, which may be written as a string, or `nil` if there is none.
  private func integer(at slot: Int, of record: ImportedRecord) -> Int64? {
    guard let field = record.present(slot), let text = record.fields[field].scalarText else { return nil }
    return Int64(String(decoding: text, as: UTF8.self))
  }

  /// Appends the ID of an event. Events of one record with the same name get different IDs.
  private func appendID(ofEvent event: Int, of record: ImportedRecord, by plan: TranslationPlan) {
    guard var id = self.plan.leavesIDToDecoder ? record.ownID(by: self.plan) : record.id(by: self.plan, hashing: hashed) else {
      return
    }
    let repetition = repetition(ofEvent: event, of: record, by: plan)
    if repetition > 1 { id += Array("#\(repetition)".utf8) }
    line.append(",\"id\":")
    line.appendJSONString(id.span)
  }

  /// Returns the position of an event among the events of the record with the same name, from 1.
  private func repetition(ofEvent event: Int, of record: ImportedRecord, by plan: TranslationPlan) -> Int {
    guard plan.names.count > 1 else { return 1 }
    var names = plan.names.map { name in if case .literal(let text) = name { text } else { [] as [UInt8] } }
    for part in plan.parts {
      guard case .name(let field) = part.value else { continue }
      names[Int(part.event)] = if let name = record.fields[Int(field)].string { folded.form(of: name) } else { [] }
    }
    return names[...event].count { $0 == names[event] }
  }
}
