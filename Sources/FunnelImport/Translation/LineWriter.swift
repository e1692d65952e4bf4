import FunnelModel

/// Writes native events as lines of JSON, following translation plans. Not thread-safe: each worker owns one.
final class LineWriter {
  private let line: LineBuffer
  private let identity: ImportPlan.IdentityPlan
  /// The slots of the batch number and of the record number, or `nil` if the format has none.
  private let sequence: (batch: Int, record: Int)?
  private let folded = FoldedTexts()

  /// Creates a writer that appends to a buffer.
  init(_ plan: ImportPlan, to line: LineBuffer) {
    self.line = line
    identity = plan.identity
    sequence = plan.sequence
  }

  /// Appends the events of a record.
  ///
  /// - Throws: The reason why the record is not an event. The caller then has to remove the bytes that were appended.
  @inline(__always)
  func write(
    _ record: ImportedRecord, by plan: TranslationPlan, subject: EnvelopeReader.Subject, _ moment: Timestamp
  ) throws(RecordTranslator.Refusal) {
    var part = plan.parts.baseAddress!
    while true {
      line.append(raw: plan.text(of: part))
      switch part.pointee.value {
      case .nothing: return
      case .moment: line.appendDecimal(moment.milliseconds)
      case .subject:
        if let text = subject.text { line.appendJSONString(text) } else { appendJSONString(subject.number ?? []) }
      case .scalar: record.fields[Int(part.pointee.field)].appendJSON(to: line)
      case .integer:
        let value = record.fields[Int(part.pointee.field)]
        if let digits = value.integerText { line.append(raw: digits) } else { value.appendJSON(to: line) }
      case .folded: appendFolded(record.fields[Int(part.pointee.field)])
      case .name: try appendName(record.fields[Int(part.pointee.field)], plan.names[Int(part.pointee.event)])
      case .sequence: appendSequence(of: record)
      case .id: appendID(ofEvent: Int(part.pointee.event), of: record, by: plan)
      }
      part += 1
    }
  }

  private func appendJSONString(_ text: [UInt8]) { text.withUnsafeBytes { line.appendJSONString($0) } }

  /// Appends the native form of a string or a number.
  private func appendFolded(_ value: ImportedValue) {
    if let string = value.string {
      appendJSONString(folded.form(of: string))
    } else {
      appendJSONString(NameFolding.fold(value.numberText ?? []))
    }
  }

  /// Appends the native form of an event name.
  ///
  /// - Throws: A rejection if the native form is empty.
  private func appendName(_ value: ImportedValue, _ name: TranslationPlan.Name) throws(RecordTranslator.Refusal) {
    let form = value.string.map { folded.form(of: $0) } ?? []
    guard form.isEmpty else { return appendJSONString(form) }
    let source = if case .value(let path) = name { path } else { "name" }
    throw RecordTranslator.Refusal(isMissing: false, message: "name: the value of \(source) has no letter and no digit")
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

  /// Returns the integer in a slot, which may be written as a string, or `nil` if there is none.
  private func integer(at slot: Int, of record: ImportedRecord) -> Int64? {
    record.present(slot).flatMap { record.fields[$0].scalarText }.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
  }

  /// Appends the ID of an event, or nothing if the ID is derived from the event. Events of one record with the same name
  /// get different IDs.
  private func appendID(ofEvent event: Int, of record: ImportedRecord, by plan: TranslationPlan) {
    guard var id = id(of: record) else { return }
    let repetition = repetition(ofEvent: event, of: record, by: plan)
    if repetition > 1 { id += Array("#\(repetition)".utf8) }
    line.append(",\"id\":")
    appendJSONString(id)
  }

  /// Returns the position of an event among the events of the record with the same name, from 1.
  private func repetition(ofEvent event: Int, of record: ImportedRecord, by plan: TranslationPlan) -> Int {
    guard plan.eventCount > 1 else { return 1 }
    var names = plan.names.map { name in if case .literal(let text) = name { text } else { [] as [UInt8] } }
    for part in plan.parts where part.value == .name {
      names[Int(part.event)] = record.fields[Int(part.field)].string.map { folded.form(of: $0) } ?? []
    }
    return names[...event].count { $0 == names[event] }
  }

  /// Returns the ID of the record, or `nil` if the ID is derived from the event.
  private func id(of record: ImportedRecord) -> [UInt8]? {
    switch identity {
    case .first(let slots): return record.firstPresent(slots).flatMap { record.fields[$0].scalarText }
    case .joined(let slots, let separator):
      var id: [UInt8] = []
      for (index, slot) in slots.enumerated() {
        guard let field = record.present(slot), let text = record.fields[field].scalarText else { return nil }
        id += (index > 0 ? separator : []) + text
      }
      return DerivedIdentity.shortened(id)
    case .derived(let slots):
      var identity = DerivedIdentity()
      for slot in slots { identity.add(record.field(slot).flatMap { record.fields[$0].scalarText } ?? []) }
      for property in record.layout.properties {
        identity.add(Array(record.key(of: property)))
        identity.add(record.fields[Int(property.field)].scalarText ?? [])
      }
      return identity.text
    }
  }
}
