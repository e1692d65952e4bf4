import FunnelModel

/// Writes native events as lines of JSON, by programs. Not to be shared between threads.
final class LineWriter {
  private let line: LineBuffer
  private let identity: ImportPlan.IdentityPlan
  private let sequence: (batch: Int, record: Int)?
  private let folded = FoldedTexts()

  /// Creates a writer to the end of a buffer.
  init(_ plan: ImportPlan, to line: LineBuffer) {
    self.line = line
    (identity, sequence) = (plan.identity, plan.sequence)
  }

  /// Writes the events of a record.
  ///
  /// - Throws: The reason why the record is no event. The caller then removes what was written of it.
  @inline(__always)
  func write(
    _ record: ImportedRecord, by program: TranslationPlan, subject: EnvelopeReader.Subject, _ moment: Timestamp
  ) throws(RecordTranslator.Refusal) {
    var part = program.parts.baseAddress!
    while true {
      line.append(raw: program.text(of: part))
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
      case .name: try appendName(record.fields[Int(part.pointee.field)], program.names[Int(part.pointee.event)])
      case .sequence: appendSequence(of: record)
      case .id: appendID(ofEvent: Int(part.pointee.event), of: record, by: program)
      }
      part += 1
    }
  }

  private func appendJSONString(_ text: [UInt8]) { text.withUnsafeBytes { line.appendJSONString($0) } }

  private func appendFolded(_ value: ImportedValue) {
    if let string = value.string {
      appendJSONString(folded.form(of: string))
    } else {
      appendJSONString(NameFolding.fold(value.numberText ?? []))
    }
  }

  private func appendName(_ value: ImportedValue, _ name: TranslationPlan.Name) throws(RecordTranslator.Refusal) {
    let form = value.string.map { folded.form(of: $0) } ?? []
    guard form.isEmpty else { return appendJSONString(form) }
    let place = if case .value(let path) = name { path } else { "name" }
    throw RecordTranslator.Refusal(isMissing: false, message: "name: the value of \(place) has no letter and no digit")
  }

  /// The number of records of one batch that its number leaves room for.
  private static let batchRecordsMax: Int64 = 1_000_000

  /// Writes the `seq` of a record: the number of its batch, then its number within it, as one. Without a batch there is no order to write.
  private func appendSequence(of record: ImportedRecord) {
    guard let sequence, let batch = integer(at: sequence.batch, of: record), batch >= 0 else { return }
    let place = min(max(integer(at: sequence.record, of: record) ?? 0, 0), Self.batchRecordsMax - 1)
    let (start, isTooLarge) = batch.multipliedReportingOverflow(by: Self.batchRecordsMax)
    guard !isTooLarge, start <= Int64.max - place else { return }
    line.append(",\"seq\":")
    line.appendDecimal(start + place)
  }

  /// Returns the integer in a slot, also one that is written as a string.
  private func integer(at slot: Int, of record: ImportedRecord) -> Int64? {
    record.present(slot).flatMap { record.fields[$0].scalarText }.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
  }

  /// Writes the id of an event, unless it is to be derived from the event itself. A second event of one name has one of its own.
  private func appendID(ofEvent event: Int, of record: ImportedRecord, by program: TranslationPlan) {
    guard var id = id(of: record) else { return }
    let repetition = repetition(ofEvent: event, of: record, by: program)
    if repetition > 1 { id += Array("#\(repetition)".utf8) }
    line.append(",\"id\":")
    appendJSONString(id)
  }

  /// Returns which of the record's events of one name an event is, from 1.
  private func repetition(ofEvent event: Int, of record: ImportedRecord, by program: TranslationPlan) -> Int {
    guard program.eventCount > 1 else { return 1 }
    var names = program.names.map { name in if case .literal(let text) = name { text } else { [] as [UInt8] } }
    for part in program.parts where part.value == .name {
      names[Int(part.event)] = record.fields[Int(part.field)].string.map { folded.form(of: $0) } ?? []
    }
    return names[...event].count { $0 == names[event] }
  }

  /// Returns the id of the record, or nil if it is to be derived from the event itself.
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
