import FunnelDecoding
import ArgumentParser
import FunnelIngest
import FunnelKit
import FunnelModel
import FunnelSystem

/// The `funnel shard` command: partitions lines by subject or by person, so that several machines can run `funnel fold` on them.
struct ShardCommand: ParsableCommand {
  /// The largest number of shards.
  static let shardsMax = 1_000_000

  static let configuration = CommandConfiguration(
    commandName: "shard",
    abstract: "Prefix each line with the number of its shard; all lines of a person get the same shard.",
    discussion: """
      Each line of INPUT is printed as SHARD, a tab, and the line; records of other products are printed in funnel's own format. \
      SHARD counts from 0 and is a fixed hash of the event's app and subject. Rejected lines are printed too, so that 'funnel fold' can \
      count them.

      If events name a user, a person may have several subjects, and their lines must get the same shard. So write the links between \
      subjects and users first, with --links and without --shards; then distribute the lines with both. The links of several inputs may \
      be in several files: give all of them each time.

      EXAMPLE
        funnel shard --links links.ndjson logs/
        funnel shard --shards 2 --links links.ndjson logs/ > lines.txt

        funnel shard --shards 2 logs/ | awk -F '\\t' '{ print substr($0, length($1) + 2) > "shard" $1 ".ndjson" }'
        funnel fold shard0.ndjson --now 2026-11-20 --state 0.state
        funnel fold shard1.ndjson --now 2026-11-20 --state 1.state
        funnel merge 0.state 1.state funnel

      \(ExitStatus.section(.unusableInput, .noInput, .inputOutput, .configuration, special: [.unusableInput: "an input is damaged; the lines, or the links, that could be read were written"]))
      """)

  @Argument(
    help: ArgumentHelp("Files or folders to read (default: -, standard input).", valueName: "input"), completion: .file())
  var inputs: [String] = []

  @Option(help: ArgumentHelp("Number of shards, 1 to \(Quantity.count(shardsMax)).", valueName: "n"))
  var shards: Int?

  @Option(
    help: ArgumentHelp(
      "With --shards: read links from this file, and keep the lines of a person together; repeatable. Without --shards: write the links of the input to this file, atomically; - for standard output.",
      valueName: "file"),
    completion: .file())
  var links: [String] = []

  @OptionGroup var folded: FoldedLines
  @OptionGroup var clock: ClockOption
  @OptionGroup var schemas: SchemaOption
  @OptionGroup var threads: ThreadsOption

  func validate() throws {
    if let start = folded.imports.retentionStart {
      throw ValidationError("--from \(start.rawValue) is only for the report retention; give the format of the records")
    }
    if links.contains("") { throw ValidationError("--links is empty; name a file") }
    guard let shards else {
      guard links.count <= 1 else {
        throw ValidationError(
          "--links more than once, without --shards: links are written to one file; give it once, or add --shards")
      }
      guard !links.isEmpty else {
        throw ValidationError(
          "neither --shards nor --links; give --shards N to distribute lines, or --links FILE to write links")
      }
      return
    }
    guard (1...Self.shardsMax).contains(shards) else {
      throw ValidationError("--shards \(shards): give 1 to \(Quantity.count(Self.shardsMax))")
    }
    if links.contains("-") { throw ValidationError("--links - with --shards: links are read from files; name one") }
  }

  func run() throws {
    let files = try InputFile.files(at: inputs.isEmpty ? ["-"] : inputs)
    let summary = if let shards { try shard(files, into: shards) } else { try writeLinks(of: files) }
    Console.notes(ImportReport(aggregate: summary.counts.imports, isFormatGiven: folded.imports.settings.isFormatGiven).notes)
    if summary.lacksLinks {
      Console.notes([
        "some events name a user; without --links the lines of one person may get several shards, so that it counts as several people"
      ])
    }
    if let first = summary.damage.first {
      let more = summary.damage.count > 1 ? " and \(Quantity.count(summary.damage.count - 1)) more" : ""
      throw FunnelError(.unusableInput, "\(first)\(more), the lines after it are missing, get the file again")
    }
  }

  /// Prints the lines of files with their shards.
  private func shard(_ files: [InputFile], into count: Int) throws -> Sharding.Summary {
    try Sharding.shard(
      files, options: folded.decoding(now: clock.present()), catalog: schemas.catalog(), shardCount: count,
      links: links.isEmpty ? nil : LinkedSubjects(readingFiles: links), threads: threads.count, write: Console.write)
  }

  /// Writes the links of files to the file of `--links`. Only the owner can read it, because it contains IDs of subjects.
  private func writeLinks(of files: [InputFile]) throws -> Sharding.Summary {
    let (lines, summary) = try Sharding.links(
      of: files, options: folded.decoding(now: clock.present()), catalog: schemas.catalog(), threads: threads.count)
    if links[0] == "-" {
      Console.write(lines)
    } else {
      try AtomicFile.write(StoragePath(links[0]), lines, permissions: .owner)
    }
    return summary
  }
}
