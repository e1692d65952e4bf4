public import FunnelModel

/// Translates records of other analytics products to lines of native events, one record at a time.
///
/// The decoder of native events reads these lines like any other input. So the specification of events applies to
/// imported events too, without a second implementation. Not thread-safe: each worker owns one.
public final class RecordTranslator {
  /// The result of translating a record.
  public enum Outcome: Hashable, Sendable {
    /// The record became this number of lines.
    case events(Int)
    /// The mapping drops the record.
    case dropped
    /// The record is not exactly one JSON object. The decoder of native events determines the reason.
    case unreadable
    /// The record is rejected, because a required value is missing or invalid.
    case refused(Refusal)
  }

  /// The reason why a record is not an event.
  public struct Refusal: Error, Hashable, Sendable {
    /// Whether a value is missing. Otherwise a value is invalid.
    public var isMissing: Bool
    /// A human-readable sentence.
    public var message: String
  }

  /// The plan by which records are translated.
  let plan: ImportPlan
  /// The format of the records.
  public var format: ImportFormat { plan.format }
  /// The native lines so far, each with its line feed. The caller removes the lines that it has read.
  public let lines = LineBuffer()
  private let reader: RecordReader
  private let names: EventNames
  private let compiler: TranslationPlanCompiler
  private let writer: LineWriter
  private let envelope: EnvelopeReader
  private let leftOut: LeftOutCounts
  /// The number of stored translation plans, over all layouts.
  private var storedPlanCount = 0
  private static let storedPlansMax = 1 << 12
  /// The number of records that the mapping dropped since the last call of ``takeAggregate()``.
  private var droppedCount = 0

  /// Creates a translator of records of the plan's format.
  public init(_ plan: ImportPlan) {
    self.plan = plan
    reader = RecordReader(tree: plan.tree)
    names = EventNames(plan)
    compiler = TranslationPlanCompiler(plan)
    writer = LineWriter(plan, to: lines)
    envelope = EnvelopeReader(plan)
    leftOut = LeftOutCounts(nodeCount: plan.tree.nodes.count)
  }

  /// Translates a record and appends the native lines to ``lines``.
  ///
  /// The padding of the JSON parser must follow the record. Nothing is appended unless the result is `events`.
  public func translate(_ text: UnsafeRawBufferPointer) -> Outcome {
    guard let record = reader.read(text) else { return .unreadable }
    let start = lines.count
    do throws(Refusal) {
      guard !record.layout.isTooLong else { throw Self.tooLong }
      let name = try names.entry(of: record)
      guard let choice = name.chooser.choice(for: record) else {
        droppedCount += 1
        return .dropped
      }
      let translation: TranslationPlan
      if let stored = record.layout.program(of: name, choice) {
        translation = stored
      } else {
        translation = try makeTranslation(for: record, name: name, choice)
      }
      let subject = try envelope.subject(translation.subject, of: record)
      let moment = try envelope.timestamp(translation.moment, of: record)
      try writer.write(record, by: translation, subject: subject, moment)
      leftOut.count(record.layout, subject: translation.subject)
      name.countRecord()
      return .events(translation.eventCount)
    } catch {
      lines.removeAll(from: start)
      return .refused(error)
    }
  }

  /// Compiles the translation plan for records with the layout and the name of this one, and stores it if there is room.
  private func makeTranslation(
    for record: ImportedRecord, name: EventNames.Entry, _ choice: RuleChoice
  ) throws(Refusal) -> TranslationPlan {
    // Invalid values are reported before errors in the mapping.
    let subject = try envelope.subjectField(of: record)
    _ = try envelope.subject(subject, of: record)
    let moment = try envelope.timestampField(of: record)
    _ = try envelope.timestamp(moment, of: record)
    let translation = try compiler.program(for: record, name: name, rules: choice.rules, subject: subject, moment: moment)
    if storedPlanCount < Self.storedPlansMax, record.layout.keep(translation, of: name, choice) { storedPlanCount += 1 }
    return translation
  }

  /// Returns the statistics of the records since the last call, and resets them.
  public func takeAggregate() -> ImportCounts {
    var aggregate = ImportCounts()
    aggregate.droppedByMap = droppedCount
    droppedCount = 0
    leftOut.moveCounts(to: &aggregate, paths: reader.walker.tree.paths, unknownPaths: reader.walker.unknownPaths)
    names.moveCounts(to: &aggregate)
    return aggregate
  }

  private static let tooLong = Refusal(
    isMissing: false,
    message: "props: the keys of nested objects, joined with dots, have more than \(Limits.lineBytesMax) bytes")
}
