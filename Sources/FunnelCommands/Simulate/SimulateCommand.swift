import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelSimulator
import FunnelSystem

/// The `funnel simulate` command: writes a synthetic log of built-in or user-defined flows, for demonstrations,
/// tests and benchmarks.
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Write a simulated log of the built-in flows or of your own; the same options give the same bytes.",
    discussion: """
      Installs vary by time of day and day of the week; people read, decline, leave, come back and change their minds in Settings.
      Variant B's pre-prompts have a grant rate a few points higher than variant A's (ctx.variant).

      With --schemas, the flows in that folder are simulated from their definitions: people go through the steps in order, some leave at \
      each step, permissions are asked for and answered, and properties have values that the definition allows. --flow selects some of \
      these flows, some built-in ones, or all of both. A definition replaces a built-in flow of the same name and version.

      With --faults, a few subjects in a thousand break each rule of their flow; the other subjects' events stay the same.

      FLOWS
        \(Simulation.knownFlows.joined(separator: "\n  "))

      EXAMPLE
        funnel simulate --flow cleaner/permissions_flow --subjects 1000 --output cleaner.ndjson
        funnel simulate --flow all --subjects 500 --seed 7 --late --duplicates --faults | funnel report -
        funnel simulate --schemas my-flows/ --output mine.ndjson && funnel report --schemas my-flows/ mine.ndjson

      \(ExitStatus.section(.noInput, .cannotCreate, .inputOutput, .configuration))
      """)

  @Option(
    help: ArgumentHelp(
      "APP/FLOW[@VERSION], or all (repeatable; default: all, or those of --schemas).", valueName: "app/flow"),
    completion: .list(["all"] + Simulation.knownFlows))
  var flow: [String] = []

  @OptionGroup var schemas: SchemaOption

  @Option(help: "Number of subjects per app; all flows of an app share them.")
  var subjects = 1000

  @Option(help: "Random seed: any whole number from 0.")
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("The first day of the log, in UTC.", valueName: "date"))
  var from = "2026-11-01"

  @Option(help: "How many days the log covers.")
  var days = 14

  @Flag(help: "Make 1 to 3 % of the lines arrive more than a day late.")
  var late = false

  @Flag(help: "Repeat 0.5 to 1 % of the lines.")
  var duplicates = false

  @Flag(help: "Add wrong clocks, misspelt names, broken lines and violations of the flows' rules.")
  var faults = false

  @Option(help: ArgumentHelp("Write to a file instead of standard output (-).", valueName: "file"), completion: .file())
  var output: String?

  func validate() throws {
    if output?.isEmpty == true { throw ValidationError("--output is empty; name a file") }
  }

  func run() throws {
    guard let start = CivilDate(from) else {
      throw FunnelError(.usage, "--from \(from.printable): not a date, write it like 2026-11-01")
    }
    let definitions = try schemas.catalog().files.filter { $0.origin != .builtIn }.map(\.definition)
    let simulation = try Simulation(
      SimulationOptions(
        flows: try selectedFlows(of: definitions), definitions: definitions, subjects: subjects, seed: seed, start: start,
        days: days, includesLate: late, includesDuplicates: duplicates, includesFaults: faults))
    guard let output, output != "-" else {
      _ = simulation.run { chunk in Console.write(chunk) }
      return
    }
    guard !output.hasSuffix(".gz") else {
      throw FunnelError(
        .usage, "--output \(output.printable): the log is written uncompressed, leave out .gz or pipe it through gzip")
    }
    let file = try StreamedOutputFile(creating: output)
    let summary = try simulation.run { chunk throws(FunnelError) in
      if try !file.write(chunk.span) { Console.endProcess(0) }
    }
    try file.commit()
    Console.note(
      "\(output.printable): \(Quantity.counted(summary.lines, "line")), \(Quantity.counted(summary.bytes, "byte")),"
        + " of \(Quantity.counted(summary.subjects, "subject"))")
  }

  /// Returns the flows of `--flow`. Without it, returns those of `--schemas`, or all if that is not given either.
  private func selectedFlows(of definitions: [FlowDefinition]) throws(FunnelError) -> [String] {
    if !flow.isEmpty { return flow }
    if schemas.schemas.isEmpty { return ["all"] }
    guard !definitions.isEmpty else {
      let folders = schemas.schemas.map(\.printable).joined(separator: ", ")
      throw FunnelError(.noInput, "no flow definition, \(folders), name a folder that has *.json, or a file")
    }
    return definitions.map(\.reference)
  }
}
