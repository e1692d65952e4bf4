import ArgumentParser
import FunnelModel
import FunnelSimulator
import FunnelSystem

/// The `funnel simulate` command, which writes a synthetic log of the four apps for demonstrations, tests and benchmarks.
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Write an invented log of the known flows, the same bytes for the same options.",
    discussion: """
      Installs follow the rhythm of days and weeks; people read, decline, leave, come back and change their minds in Settings.
      Variant B's pre-prompts persuade a few points more than variant A's (ctx.variant).

      FLOWS
        \(Simulation.knownFlows.joined(separator: "\n  "))

      EXAMPLE
        funnel simulate --flow cleaner/permissions_flow --subjects 1000 --output cleaner.ndjson
        funnel simulate --flow all --subjects 500 --seed 7 --late --duplicates --faults | funnel report -

      \(ExitStatus.section(.cannotCreate, .inputOutput))
      """)

  @Option(
    help: ArgumentHelp("APP/FLOW[@VERSION], or all; repeatable. (default: all)", valueName: "app/flow"),
    completion: .list(["all"] + Simulation.knownFlows))
  var flow: [String] = []

  @Option(help: "Subjects of each app; the flows of one app share them.")
  var subjects = 1000

  @Option(help: "Where all chance comes from: any whole number that is not negative.")
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("The first day of the log, in UTC.", valueName: "date"))
  var from = "2026-11-01"

  @Option(help: "How many days the log covers.")
  var days = 14

  @Flag(help: "Let 1 to 3 % of the lines arrive more than a day late.")
  var late = false

  @Flag(help: "Repeat 0.5 to 1 % of the lines.")
  var duplicates = false

  @Flag(help: "Add wrong clocks, misspelt names, broken lines and breaches of the flows' rules.")
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
    let simulation = try Simulation(
      SimulationOptions(
        flows: flow.isEmpty ? ["all"] : flow, subjects: subjects, seed: seed, start: start, days: days, includesLate: late,
        includesDuplicates: duplicates, includesFaults: faults))
    guard let output, output != "-" else {
      _ = simulation.run { chunk in Console.write(Array(chunk)) }
      return
    }
    guard !output.hasSuffix(".gz") else {
      throw FunnelError(
        .usage, "--output \(output.printable): the log is written uncompressed, leave out .gz or pipe it through gzip")
    }
    let file = try StreamedOutputFile(creating: output)
    do {
      let summary = try simulation.run { chunk throws(FunnelError) in
        if try !file.write(chunk) { Console.endProcess(0) }
      }
      try file.commit()
      Console.note(
        "\(output.printable): \(Quantity.counted(summary.lines, "line")), \(Quantity.counted(summary.bytes, "byte")),"
          + " of \(Quantity.counted(summary.subjects, "subject"))")
    } catch {
      file.discard()
      throw error
    }
  }
}
