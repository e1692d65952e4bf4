import FunnelDecoding
import ArgumentParser
import FunnelIngest
import FunnelKit
import FunnelModel

/// The `funnel shard` command: partitions lines by subject, so that several machines can run `funnel fold` on them.
struct ShardCommand: ParsableCommand {
  /// The largest number of shards.
  static let shardsMax = 1_000_000

  static let configuration = CommandConfiguration(
    commandName: "shard",
    abstract: "Prefix each line with the number of its shard; all lines of a subject get the same shard.",
    discussion: """
      Each line of INPUT is printed as SHARD, a tab, and the line; records of other products are printed in funnel's own format. \
      SHARD counts from 0 and is a fixed hash of the event's app and subject. Rejected lines are printed too, so that 'funnel fold' can \
      count them.

      EXAMPLE
        funnel shard --shards 2 logs/ | awk -F '\\t' '{ print substr($0, length($1) + 2) > "shard" $1 ".ndjson" }'
        funnel fold shard0.ndjson --now 2026-11-20 --state 0.state
        funnel fold shard1.ndjson --now 2026-11-20 --state 1.state
        funnel merge 0.state 1.state funnel

      \(ExitStatus.section(.unusableInput, .noInput, .inputOutput, .configuration, special: [.unusableInput: "an input is damaged; the lines that could be read were printed"]))
      """)

  @Argument(
    help: ArgumentHelp("Files or folders to read (default: -, standard input).", valueName: "input"), completion: .file())
  var inputs: [String] = []

  @Option(help: ArgumentHelp("Number of shards, 1 to \(Quantity.count(shardsMax)).", valueName: "n"))
  var shards: Int

  @OptionGroup var folded: FoldedLines
  @OptionGroup var clock: ClockOption
  @OptionGroup var schemas: SchemaOption
  @OptionGroup var threads: ThreadsOption

  func validate() throws {
    guard (1...Self.shardsMax).contains(shards) else {
      throw ValidationError("--shards \(shards): give 1 to \(Quantity.count(Self.shardsMax))")
    }
  }

  func run() throws {
    let summary = try Sharding.shard(
      InputFile.files(at: inputs.isEmpty ? ["-"] : inputs), options: folded.decoding(now: clock.present()),
      catalog: schemas.catalog(), shardCount: shards, threads: threads.count, write: Console.write)
    Console.notes(ImportReport(aggregate: summary.counts.imports, isFormatGiven: folded.imports.settings.isFormatGiven).notes)
    if let first = summary.damage.first {
      let more = summary.damage.count > 1 ? " and \(Quantity.count(summary.damage.count - 1)) more" : ""
      throw FunnelError(.unusableInput, "\(first)\(more), the lines after it are missing, get the file again")
    }
  }
}
