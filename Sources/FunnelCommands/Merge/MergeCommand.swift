import FunnelDecoding
import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelRendering
import FunnelReports
import FunnelSystem

/// The `funnel merge` command: combines state files into a report, or into another state file.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Combine states written by 'funnel fold' and print the same report as 'funnel report' over all their lines.",
    discussion: """
      The states must have been folded with the same options and definitions, and no subject may be in two of them. States with \
      different options or definitions are rejected, and so is a state given twice. States of consecutive periods can be merged too; \
      people who started again in several periods count in each.

      EXAMPLE
        funnel merge *.state                            funnel, grants and drop-off
        funnel merge *.state trend --format json
        funnel merge monday.state tuesday.state --state both.state

      \(ExitStatus.section(.unusableInput, .noInput, .cannotCreate, .inputOutput, special: [.unusableInput: "a state is damaged or does not belong to the others, or every line of the folds was rejected"]))
      """)

  @Argument(
    help: ArgumentHelp(
      "State files, and a report (\(ReportSelection.allNames.joined(separator: ", ")); default: funnel, grants, dropoff).",
      valueName: "state|name"),
    completion: Completions.reportsOrFiles)
  var words: [String]

  @Option(
    help: ArgumentHelp(
      "Write the merged state to this file, atomically, instead of printing a report; - for standard output.", valueName: "file"
    ),
    completion: .file())
  var state: String?

  @Option(
    help: ArgumentHelp(
      "A file that lists what the folds could not read, for the report to mention: one JSON object per line with path, offset, events (or null) and reason.",
      valueName: "file"),
    completion: .file())
  var missing: String?

  @OptionGroup var schemas: SchemaOption
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if state?.isEmpty == true { throw ValidationError("--state is empty; name a file") }
    if state != nil, missing != nil { throw ValidationError("--state with --missing: only a report says what is missing") }
    if state != nil, output.format != nil || output.output != nil {
      throw ValidationError("--state with --format or --output: merge writes a state or a report, not both; give one of them")
    }
  }

  func run() throws {
    let (paths, named) = try pathsAndName()
    let first = try Self.state(paths[0])
    try checkDefinitions(of: first, name: paths[0])
    let request = first.request
    let query = try request.query(of: StatePeriod(of: Self.anyQuery), timeZone: Self.zone)
    let flows = try ReportFlows(of: query, in: try request.catalog(), flows: request.flows, app: request.app)
    var merger = try StateMerger(first, name: paths[0], query: query, catalog: flows.catalog, flows: flows.indices)
    for path in paths.dropFirst() { try merger.add(Self.state(path), name: path) }
    if let state { return try StateOutput.write(merger.state, to: state) }
    try print(merger, flows: flows, named: named)
  }

  /// Splits the arguments into the state files and the report that the last or the first word names.
  ///
  /// The report is `nil` if neither names one.
  private func pathsAndName() throws(FunnelError) -> ([String], ReportSelection?) {
    var paths = words
    var named: ReportSelection?
    if let last = paths.last, let selection = ReportSelection(name: last) {
      named = selection
      paths.removeLast()
    } else if let first = paths.first, let selection = ReportSelection(name: first) {
      named = selection
      paths.removeFirst()
    }
    guard !paths.isEmpty else {
      throw FunnelError(.usage, "no state given, merge, name files that 'funnel fold --state' wrote")
    }
    if let named, state != nil {
      throw FunnelError(
        .usage,
        "--state and the report \(named.names[0]), a state always holds all reports that were counted, leave the name out")
    }
    for (index, path) in paths.enumerated() where paths[..<index].contains(path) {
      throw FunnelError(
        .unusableInput, "\(path.printable), named twice, each state can be merged only once, leave one of them out")
    }
    return (paths, named)
  }

  /// Reads a state file. If it does not exist, the error suggests a report with a similar name.
  private static func state(_ path: String) throws(FunnelError) -> ReportState {
    do throws(FunnelError) {
      return try StateOutput.read(path)
    } catch {
      guard error.code == .noInput, let meant = NearestName.find(path, in: ReportSelection.allNames) else { throw error }
      throw FunnelError(.noInput, "\(error.message); did you mean the report \(meant)?")
    }
  }

  /// A query of which only the options without a time matter.
  private static let anyQuery = ReportQuery(now: Timestamp(milliseconds: 0))

  /// Returns the rules of the time zone that a state names.
  private static func zone(_ name: String) throws(FunnelError) -> TimeZoneRules {
    try TimeZoneRules.named(name, option: "--tz of the state")
  }

  /// Throws `unusableInput` if `--schemas` is given and its definitions differ from those that the state contains.
  private func checkDefinitions(of state: ReportState, name: String) throws(FunnelError) {
    guard !schemas.schemas.isEmpty else { return }
    let own = StateRequest(
      Self.anyQuery, flows: [], app: nil, catalog: try schemas.catalog(), selection: .standard)
    guard let difference = own.definitionDifference(from: state.request) else { return }
    throw FunnelError(
      .unusableInput,
      "\(name.printable) was folded with definitions other than those of --schemas, \(difference), fold the lines again")
  }

  /// Prints the merged report with its notes.
  private func print(_ merger: StateMerger, flows known: ReportFlows, named: ReportSelection?) throws {
    let query = try merger.request.query(of: merger.period(), timeZone: Self.zone)
    let selection = try selection(named, of: merger.request)
    let shown = selection.shown(query)
    try selection.check(shown)
    let flows = try known.resolved(among: merger.input.contents.apps)
    let format = try output.reportFormat(selection: selection)
    var report = try merger.report(selection, query: query, catalog: flows.catalog, flows: flows.indices)
    report.damage = try missing.map { (path) throws(FunnelError) in try MissingEvents.read(path) } ?? nil
    // A state of a closed day (`funnel nightly --states`) has no input counts, so notes on the log would be wrong.
    let knowsEvents = merger.input.lines > 0
    let response = try ReportResponse(merged: report, query: shown, flows: flows, input: merger.input)
      .explained(namesUnknownAnswers: knowsEvents)
    try output.write(response.report, as: format)
    if format != .table { response.printEmptiness() }
    if merger.input.rejectedCount > 0 { Console.notes([RejectionSummary.sentence(merger.input)]) }
    if knowsEvents { try response.printFindings() }
    if let damage = response.damage { throw MissingEvents.error(damage) }
    try response.throwFailure(store: "")
  }

  /// Returns the reports to print: the named one, or the standard ones if the states have them, or all that they have.
  private func selection(_ named: ReportSelection?, of request: StateRequest) throws(FunnelError) -> ReportSelection {
    guard let named else {
      let isStandardCounted = ReportSelection.standard.names.allSatisfy(request.reports.contains)
      return isStandardCounted ? .standard : request.selection
    }
    // A report that the query does not allow is rejected with the same message as in `funnel report`.
    if named.names == [BreachesReport.name], !request.reports.contains(BreachesReport.name) {
      var query = Self.anyQuery
      query.isMature = request.isMature
      try named.check(query)
    }
    guard named.names.allSatisfy(request.reports.contains) else {
      let how =
        switch named.names {
        case [NextReport.name]: "with --after or --before"
        case [DriversReport.name]: "with drivers and --keys"
        case [CohortRetentionReport.name]: "with it"
        default: "with it, or without a name"
        }
      throw FunnelError(
        .unusableInput,
        "the states have no report \(named.names[0]), only \(request.reports.joined(separator: ", ")), fold the lines \(how)")
    }
    return named
  }
}

/// The list of events that folds could not read, which the user passes to `funnel merge --missing`.
enum MissingEvents {
  /// Reads a list with one JSON object per line: `{"path":"log/…","offset":0,"events":12,"reason":"…"}`.
  ///
  /// - Returns: The damage, or `nil` if the file is empty.
  /// - Throws: `unusableInput` if a line is not such an object, or an error of reading the file.
  static func read(_ path: String) throws(FunnelError) -> ReportDamage? {
    let bytes = try LocalFileSystem().readAll(StoragePath(path), bytesMax: Limits.configurationBytesMax)
    var places: [ReportDamage.Place] = []
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
      guard let root = try? JSONDocument(parsing: Array(line)).root, let file = root["path"]?.string,
        let offset = root["offset"]?.integer, offset >= 0, let reason = root["reason"]?.string,
        root["events"]?.integer.map({ (0...Int64(Limits.countMax)).contains($0) }) ?? true
      else {
        throw FunnelError(
          .unusableInput,
          "\(path.printable):\(index + 1), not an object with path, offset, events and reason, or a number is out of range, write it as --help says"
        )
      }
      places.append(
        ReportDamage.Place(path: file, offset: Int(offset), events: root["events"]?.integer.map { Int($0) }, reason: reason))
    }
    return places.isEmpty ? nil : ReportDamage(places: places)
  }

  /// Returns the error to throw after the incomplete report has been printed.
  static func error(_ damage: ReportDamage) -> FunnelError {
    precondition(!damage.places.isEmpty, "a damage has at least one place")
    let first = damage.places[0]
    let more = damage.places.count > 1 ? " and \(Quantity.counted(damage.places.count - 1, "more place"))" : ""
    let events = damage.missingEvents.map { Quantity.counted($0, "event") } ?? "an unknown number of events"
    return FunnelError(
      .inputOutput, "\(first.path.printable)\(more), \(events) missing from the report: \(first.reason.printable)")
  }
}
