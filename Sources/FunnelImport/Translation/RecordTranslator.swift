public import FunnelModel

/// Turns foreign records into lines of native events, one record at a time. It knows nothing of files and stores. Not to be shared between
/// threads.
///
/// A line it makes is read like any line of an input afterwards, by the decoder of native events, so that everything the specification says
/// about events holds for imported ones without being written a second time.
public final class RecordTranslator {
  /// What became of a record.
  public enum Outcome: Hashable, Sendable {
    /// It became this many lines.
    case events(Int)
    /// The mapping leaves it out.
    case dropped
    /// It is not one JSON object; the decoder of native events says why.
    case unreadable
    /// It lacks what every event needs, or has it in a form that can't be used.
    case refused(Refusal)
  }

  /// The reason why a record is no event.
  public struct Refusal: Error, Hashable, Sendable {
    /// Whether a value is missing, not invalid.
    public var isMissing: Bool
    /// A sentence for people.
    public var message: String
  }

  let plan: ImportPlan
  /// The format of the records.
  public var format: ImportFormat { plan.format }
  /// The native lines so far, each with its line feed. Whoever takes them removes them.
  public let lines = LineBuffer()
  private let reader: RecordReader
  private let names: EventNames
  private let compiler: TranslationPlanCompiler
  private let writer: LineWriter
  private let envelope: EnvelopeReader
  private let leftOut: LeftOutCounts
  /// The number of programs that are kept.
  private var programCount = 0
  private static let programsMax = 1 << 12
  /// The number of records that the mapping left out since the last call of ``takeTally()``.
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

  /// Translates a record and appends the native lines to ``lines``. The parser's padding must follow the record.
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
      let program: TranslationPlan
      if let known = record.layout.program(of: name, choice) {
        program = known
      } else {
        program = try makeProgram(for: record, name: name, choice)
      }
      let subject = try envelope.subject(program.subject, of: record)
      let moment = try envelope.timestamp(program.moment, of: record)
      try writer.write(record, by: program, subject: subject, moment)
      leftOut.count(record.layout, subject: program.subject)
      name.countRecord()
      return .events(program.eventCount)
    } catch {
      lines.removeAll(from: start)
      return .refused(error)
    }
  }

  /// Makes the program for records of the layout and name of this one.
  private func makeProgram(
    for record: ImportedRecord, name: EventNames.Entry, _ choice: RuleChoice
  ) throws(Refusal) -> TranslationPlan {
    // What is wrong with the values is told before what is wrong with the mapping.
    let subject = try envelope.subjectField(of: record)
    _ = try envelope.subject(subject, of: record)
    let moment = try envelope.timestampField(of: record)
    _ = try envelope.timestamp(moment, of: record)
    let program = try compiler.program(for: record, name: name, rules: choice.rules, subject: subject, moment: moment)
    if programCount < Self.programsMax, record.layout.keep(program, of: name, choice) { programCount += 1 }
    return program
  }

  /// Returns what became of the records since the last call.
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
