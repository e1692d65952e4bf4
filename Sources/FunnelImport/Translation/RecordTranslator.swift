package import FunnelModel

/// Translates records of other analytics products to lines of native events, one record at a time.
///
/// The decoder of native events reads these lines like any other input. So the specification of events applies to
/// imported events too, without a second implementation. Not thread-safe: each worker owns one.
package final class RecordTranslator {
  /// The result of translating a record.
  package enum Outcome: Hashable, Sendable {
    /// The record became this number of lines.
    case events(Int)
    /// The mapping drops the record.
    case dropped
    /// The record is not exactly one JSON object. The decoder of native events determines the reason.
    case unreadable
    /// The record is rejected, because a required value is missing or invalid.
    case rejected(ImportRejection)
  }

  /// The plan by which records are translated.
  let plan: ImportPlan
  /// The format of the records.
  package var format: ImportFormat { plan.format }
  /// The native lines so far, each with its line feed. The caller removes the lines that it has read.
  package let lines = LineBuffer()
  private let reader: RecordReader
  private let names: EventNames
  private let compiler: TranslationPlanCompiler
  private let writer: LineWriter
  private let envelope: EnvelopeReader
  private let leftOut: LeftOutCounts
  /// The number of stored translation plans, over all layouts.
  private var storedPlanCount = 0
  private static let storedPlansMax = 1 << 12
  /// The number of records that the mapping dropped since the last call of ``takeCounts(file:)``.
  private var droppedCount = 0
  /// The number of records with a user since the last call of ``takeCounts(file:)``, by the user's path.
  private var userCounts: [String: Int] = [:]
  /// The delays of the records since the last call of ``takeCounts(file:)``.
  private var receiptDelays = ReceiptDelays()
  /// The order of the records since the last call of ``takeCounts(file:)``.
  private var order = TimeOrder()

  /// Creates a translator of records of the plan's format.
  package init(_ plan: ImportPlan) {
    self.plan = plan
    reader = RecordReader(plan.format, tree: plan.tree, stamps: plan.leavesIDToDecoder ? nil : plan.stamps)
    names = EventNames(plan)
    compiler = TranslationPlanCompiler(plan)
    writer = LineWriter(plan, to: lines)
    envelope = EnvelopeReader(plan)
    leftOut = LeftOutCounts(nodeCount: plan.tree.nodes.count)
  }

  /// Translates a record and appends the native lines to ``lines``.
  ///
  /// The padding of the JSON parser must follow the record. Nothing is appended unless the result is `events`.
  package func translate(_ text: Span<UInt8>) -> Outcome {
    let reader = reader
    guard let record = reader.read(text) else { return rejection(ofUnreadable: text).map(Outcome.rejected) ?? .unreadable }
    let start = lines.count
    do throws(ImportRejection) {
      guard !record.layout.isTooLong else { throw Self.tooLong }
      let name = try names.entry(of: record)
      if plan.dropsIncompleteLinks, let link = name.link, !envelope.hasBothIDs(of: link, record) {
        droppedCount += 1
        return .dropped
      }
      guard let choice = name.chooser.choice(for: record) else {
        droppedCount += 1
        return .dropped
      }
      let translation: TranslationPlan
      if let stored = record.layout.plan(of: name, choice) {
        translation = stored
      } else {
        translation = try makeTranslation(for: record, name: name, choice)
      }
      let subject = try envelope.subject(translation.subject, of: record)
      let user = try user(of: record, by: translation)
      let timestamp = try envelope.timestamp(translation.timestamp, of: record)
      let delay = try envelope.receiptDelay(of: record, after: timestamp)
      try writer.write(record, by: translation, subject: subject, user: user, timestamp)
      let takenUser = if case .some = user { translation.user } else { nil as TranslationPlan.UserSource? }
      if let takenUser { userCounts[takenUser.path, default: 0] += 1 }
      leftOut.count(record.layout, subject: translation.subject, user: takenUser?.field)
      name.countRecord()
      if let delay { receiptDelays.add(delay) }
      order.add(timestamp.milliseconds)
      return .events(translation.names.count)
    } catch {
      lines.removeAll(from: start)
      return .rejected(error)
    }
  }

  /// Returns the user of a record, or `nil` if it has none.
  @inline(__always)
  @_lifetime(copy record)
  private func user(
    of record: ImportedRecord, by translation: TranslationPlan
  ) throws(ImportRejection) -> EnvelopeReader.PersonID? {
    guard let source = translation.user else { return nil }
    return try envelope.user(source, of: record)
  }

  /// Returns a copy of a record in the shape that the paths of the format describe, or `nil` if it can't be read or has that
  /// shape in any case.
  ///
  /// The padding of the JSON parser must follow the record.
  package func normalized(_ text: Span<UInt8>) -> [UInt8]? {
    guard format == .snowplow else { return nil }
    let reader = reader
    guard let normalized = reader.normalize(text) else { return nil }
    return [UInt8](copying: normalized)
  }

  /// Returns the rejection of a line that has too few or too many fields, or `nil` if the record is unreadable for another reason.
  private func rejection(ofUnreadable text: Span<UInt8>) -> ImportRejection? {
    guard format == .snowplow, !text.beginsContainer else { return nil }
    let count = SnowplowLine.fieldCount(of: text)
    let needed = SnowplowLine.columns.count
    guard count != needed else { return nil }
    return .invalid(
      "the record is neither JSON nor a line of \(needed) fields with tabs between them; its number of fields is \(count)")
  }

  /// Compiles the translation plan for records with the layout and the name of this one, and stores it if there is room.
  private func makeTranslation(
    for record: ImportedRecord, name: EventNames.Entry, _ choice: RuleChoice
  ) throws(ImportRejection) -> TranslationPlan {
    // Invalid values are reported before errors in the mapping.
    let subject = try envelope.subjectField(of: record, link: name.link)
    _ = try envelope.subject(subject, of: record)
    let user = envelope.userSource(of: record, link: name.link)
    let timestamp = try envelope.timestampField(of: record)
    let time = try envelope.timestamp(timestamp, of: record)
    _ = try envelope.receiptDelay(of: record, after: time)
    let translation = try compiler.plan(
      for: record, name: name, rules: choice.rules, subject: subject, user: user, timestamp: timestamp)
    if storedPlanCount < Self.storedPlansMax, record.layout.store(translation, of: name, choice) { storedPlanCount += 1 }
    return translation
  }

  /// Returns the statistics of the records since the last call, and resets them.
  ///
  /// - Parameter file: The file of the records if its order is that of events with equal times, or `nil` if it is not.
  package func takeCounts(file: String? = nil) -> ImportCounts {
    var counts = ImportCounts()
    if let file, !order.isEmpty { counts.note(order, of: file) }
    order = TimeOrder()
    counts.droppedByMap = droppedCount
    droppedCount = 0
    for (path, count) in userCounts { counts.addUsers(path, count: count) }
    userCounts.removeAll(keepingCapacity: true)
    counts.receiptDelays = receiptDelays
    receiptDelays = ReceiptDelays()
    leftOut.move(to: &counts, paths: reader.walker.tree.paths, unknownPaths: reader.walker.unknownPaths)
    names.moveCounts(to: &counts)
    return counts
  }

  private static let tooLong = ImportRejection.invalid(
    "props: the keys of nested objects, joined with dots, have more than \(Limits.lineBytesMax) bytes")
}
