import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelReports
import FunnelSystem

/// The `funnel groups` command: lists the people, attempts or entries that a number in a report counts.
struct GroupsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "groups",
    abstract: "List the people behind a number: who dropped at a step, who denied a permission, who broke a rule.",
    discussion: """
      STATE is entered, completed, dropped, in_progress or excluded, or exit:skipped, exit:denied, exit:failed, exit:back, exit:left or \
      exit:ended for those who dropped that way. With --step it is reached, dropped, in_progress or an exit there. With \
      --permission it is prompted, granted, limited, provisional, denied, skipped, unanswered, in_progress, recovered, \
      recovered_via_settings or unprimed. It is returned for those who came back in a period of the report retention. With \
      --outcome or --breach leave it out. The list always has as many rows as the number in the \
      report for the same query. Where a flow counts attempts or entries, these are listed instead of people.

      EXAMPLE
        funnel groups dropped --step photos --flow cleaner/permissions_flow
        funnel groups denied --permission contacts --flow cleaner/permissions_flow --since 7d
        funnel groups --breach dialog_after --permission location --flow trendy/onboarding
        funnel groups --outcome failed --flow clarity/prosocial_challenge --format lines | funnel forget --person --from -

      \(ExitStatus.section(.unusableInput, .noInput, .cannotCreate, .inputOutput, .configuration))
      """)

  @Argument(help: ArgumentHelp("A state, then files or folders to read.", valueName: "state|input"), completion: .file())
  var inputs: [String] = []

  @Option(help: ArgumentHelp("The step, by its id.", valueName: "id"))
  var step: String?

  @Option(help: ArgumentHelp("The permission.", valueName: "name"))
  var permission: String?

  @Option(help: ArgumentHelp("The outcome, by its id.", valueName: "id"))
  var outcome: String?

  @Option(help: ArgumentHelp("The rule; --permission or --step selects its target.", valueName: "rule"))
  var breach: String?

  @OptionGroup var returned: ReturnedOptions

  @Option(help: ArgumentHelp("List at most this many (default: all).", valueName: "number"))
  var limit: Int?

  @Flag(help: "Only people whose conversion window has closed.")
  var mature = false

  @OptionGroup var store: StoreOption
  @OptionGroup var query: QueryOptions
  @OptionGroup var adHoc: AdHocOptions
  @OptionGroup var schemas: SchemaOption
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var imports: ImportOptions

  @Option(
    help: ArgumentHelp(
      "\(GroupsText.Format.allCases.map(\.rawValue).joined(separator: ", ")) (default: table); lines: one subject per line, nothing else.",
      valueName: "format"),
    completion: .list(GroupsText.Format.allCases.map(\.rawValue)))
  var format: String?

  @Option(
    help: ArgumentHelp("Write to this file, atomically, instead of standard output (-).", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(
    help: ArgumentHelp("App of events in INPUT that don't name one, and of --steps.", valueName: "app"),
    completion: Completions.apps
  )
  var app: String?

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit \(limit): give 0 or more") }
  }

  func run() throws {
    let format = try ChoiceOption.choice(self.format, option: "--format") ?? GroupsText.Format.table
    let (state, inputs) = stateAndInputs()
    try check(state, inputs)
    let source = source(inputs)
    try source.check()
    let read = try source.reader().groups(
      request(state), groupsQuery(for: state), namesAttempts: format != .lines, limit: limit)
    try OutputDestination(output).write(read.result.text(format))
    if read.damage == nil { Console.notes(read.unknownKeys.notes()) }
    Console.notes(Report.internalNotes(read.internalSubjects))
    if state == .dropped, step == nil { Console.notes(read.result.droppedNotes) }
    if let damage = read.damage { throw DamagedLog.error(damage, store: store.path) }
  }

  /// Returns the people in a state, with the app and the device that each used last, and the query of the list.
  func people(_ state: GroupState?) throws -> (EventPass<PeopleList>, ReportQuery) {
    try check(state, [])
    let query = try groupsQuery(for: state)
    return (try source([]).reader().people(request(state), query), query)
  }

  private func source(_ inputs: [String]) -> ReportSource {
    ReportSource(
      inputs: inputs, app: app, store: store, schemas: schemas, query: query, threads: threads, memory: memory,
      imports: imports.withoutRetentionStart,
      suggestionForMissing: { name in
        GroupState.nearestName(to: name).map { "did you mean 'funnel groups \($0)'?" }
      }, isAppOfSteps: adHoc.steps != nil)
  }

  private func groupsQuery(for state: GroupState?) throws -> ReportQuery {
    var query = try query.query()
    try adHoc.apply(to: &query)
    query.isMature = mature
    if state == .returned { try returned.apply(to: &query, with: imports) }
    if breach != nil, mature {
      throw FunnelError(.usage, "rules are checked in open windows too, --mature, leave it out")
    }
    return query
  }

  private func request(_ state: GroupState?) throws(FunnelError) -> GroupRequest {
    try GroupRequest(
      state: state, step: step, permission: permission, outcome: outcome, breach: breach, cell: returned.cell())
  }

  /// Splits the arguments into the state that the first one names, or `nil` if it is not a state, and the inputs.
  private func stateAndInputs() -> (GroupState?, [String]) {
    guard let name = inputs.first, let state = GroupState(rawValue: name) else { return (nil, inputs) }
    return (state, Array(inputs.dropFirst()))
  }

  /// Throws `usage` if the options exclude each other or do not select a list.
  private func check(_ state: GroupState?, _ inputs: [String]) throws(FunnelError) {
    if state == .returned {
      try imports.checkRetentionStart()
      if let other = step.map({ _ in "--step" }) ?? permission.map({ _ in "--permission" }) {
        throw FunnelError(.usage, "returned is of the whole flow, \(other), leave it out")
      }
    } else if let option = returned.given ?? imports.retentionStart.map({ "--from \($0.rawValue)" }) {
      throw FunnelError(.usage, "\(option) is only for the state returned, write: funnel groups returned --period 1")
    }
    if outcome != nil, breach != nil { throw FunnelError(.usage, "both --outcome and --breach, give one of them") }
    if outcome != nil, step != nil || permission != nil {
      throw FunnelError(.usage, "an outcome belongs to the whole flow, --outcome with --step or --permission, leave them out")
    }
    if breach == nil, step != nil, permission != nil {
      throw FunnelError(.usage, "both --step and --permission, give one of them")
    }
    let all = GroupState.allCases.map(\.rawValue)
    if state == nil, let word = inputs.first, Self.isNoFile(word) {
      let advice =
        GroupState.nearestName(to: word).map { "did you mean \($0)?" } ?? "give one of \(all.joined(separator: ", "))"
      throw FunnelError(.usage, "no such state, \(word.printable), \(advice)")
    }
    guard state == nil, outcome == nil, breach == nil, step == nil, permission == nil else { return }
    throw FunnelError(.usage, "no state given, give one of \(all.joined(separator: ", ")), or --outcome or --breach")
  }

  /// Whether a word is probably a misspelled state: it has no slash and no dot, and no file has this name.
  private static func isNoFile(_ word: String) -> Bool {
    guard word != "-", !word.contains("/"), !word.contains(".") else { return false }
    let status = try? LocalFileSystem().status(of: StoragePath(word))
    return status == nil
  }
}
