import ArgumentParser
import FunnelDecoding
import FunnelIngest
import FunnelKit
import FunnelStore
import FunnelModel

/// The `funnel rejected` command: groups the subcommands for rejected lines (dead letters).
struct RejectedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rejected",
    abstract: "List, show and retry rejected lines.",
    discussion: """
      EXAMPLE
        funnel rejected ls
        funnel rejected show --reason invalid_field --limit 5
        funnel rejected retry

      \(ExitStatus.section())
      """,
    subcommands: [RejectedListCommand.self, RejectedShowCommand.self, RejectedRetryCommand.self])
}

/// The options that filter dead letters.
struct DeadLetterFilter: ParsableArguments {
  @Option(help: ArgumentHelp("Only this reason (repeatable).", valueName: "reason"), completion: Completions.reasons)
  var reason: [String] = []

  @Option(help: ArgumentHelp("Only lines of this file (repeatable).", valueName: "file"), completion: .file())
  var file: [String] = []

  /// Whether the filter matches all dead letters.
  var isEmpty: Bool { reason.isEmpty && file.isEmpty }

  /// Returns a predicate for the options. Throws `usage` if a reason does not exist.
  func predicate() throws(FunnelError) -> (DeadLetter) -> Bool {
    var reasons: Set<RejectionReason> = []
    for text in reason {
      guard let known = RejectionReason(rawValue: text) else {
        let all = RejectionReason.allCases.map(\.rawValue)
        let hint = NearestName.find(text, in: all).map { "did you mean \($0)?" } ?? "give \(all.joined(separator: ", "))"
        throw FunnelError(.usage, "no such reason, --reason \(text.printable), \(hint)")
      }
      reasons.insert(known)
    }
    return { letter in
      (reasons.isEmpty || reasons.contains(letter.reason)) && (file.isEmpty || file.contains(letter.file))
    }
  }
}

/// The `funnel rejected ls` command: counts rejected lines by reason and message.
struct RejectedListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls",
    abstract: "Count rejected lines by reason and message, with the place of the first.",
    discussion: """
      EXAMPLE
        funnel rejected ls
        funnel rejected ls --format json | jq -r .message

      \(ExitStatus.section(.noInput, .inputOutput, .configuration, special: [.configuration: ExitStatus.newerStore]))
      """)

  @OptionGroup var store: StoreOption
  @OptionGroup var filter: DeadLetterFilter

  @Option(help: ArgumentHelp("text, or json: one line per rejected line (default: text).", valueName: "format"))
  var format: SummaryFormat = .text

  /// The key by which lines are counted.
  private struct Group: Hashable {
    var reason: String
    var message: String
  }

  func run() throws {
    let isWanted = try filter.predicate()
    let reader = try StoreReader.open(store.path)
    var groups: [Group: (count: Int, first: DeadLetter)] = [:]
    try DeadLetters.forEach(of: reader) { entry in
      guard isWanted(entry.letter) else { return }
      if format == .json {
        var line: [UInt8] = []
        entry.letter.appendJSON(at: entry.time, to: &line)
        return Console.write(line)
      }
      let group = Group(reason: entry.letter.reason.rawValue, message: entry.letter.messageWithoutColumn)
      groups[group, default: (0, entry.letter)].count += 1
    }
    guard format == .text else { return }
    guard !groups.isEmpty else {
      return Console.print(filter.isEmpty ? "no rejected lines\n" : "no rejected line matches\n")
    }
    var table = TextTable(["count", "reason", "first at", "message"])
    for (group, found) in groups.sorted(by: {
      ($1.value.count, $0.key.reason, $0.key.message) < ($0.value.count, $1.key.reason, $1.key.message)
    }) {
      table.add([Quantity.count(found.count), group.reason, "\(found.first.file):\(found.first.line)", group.message])
    }
    Console.print(table.text)
  }
}

/// The `funnel rejected show` command: prints the rejected lines themselves.
struct RejectedShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show rejected lines: where, why, and the line itself.",
    discussion: """
      EXAMPLE
        funnel rejected show --reason invalid_json --limit 3
        funnel rejected show --raw > lines-to-fix.ndjson

      \(ExitStatus.section(.noInput, .inputOutput, .configuration, special: [.configuration: ExitStatus.newerStore]))
      """)

  @OptionGroup var store: StoreOption
  @OptionGroup var filter: DeadLetterFilter

  @Option(parsing: .unconditional, help: ArgumentHelp("Show at most this many.", valueName: "n"))
  var limit: Int?

  @Flag(help: "Print only the lines, byte for byte, so that you can fix them and ingest them again.")
  var raw = false

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit \(limit): give 1 or more") }
  }

  func run() throws {
    let isWanted = try filter.predicate()
    let reader = try StoreReader.open(store.path)
    var left = limit ?? .max
    try DeadLetters.forEach(of: reader) { entry in
      guard left > 0, isWanted(entry.letter) else { return }
      left -= 1
      if raw { return Console.write(entry.letter.raw + [UInt8(ascii: "\n")]) }
      let letter = entry.letter
      let text = String(decoding: letter.raw.prefix(Self.shownBytesMax), as: UTF8.self).printable
      let isCut = letter.raw.count > Self.shownBytesMax || letter.raw.count < letter.rawByteCount && !letter.isMasked
      let shown = """
        \(letter.file.printable):\(letter.line) (byte \(letter.byteOffset))  \(letter.reason.rawValue)
          \(letter.message.printable)
          \(text)\(isCut ? "… (\(Quantity.bytes(letter.rawByteCount)) in all)" : "")

        """
      // Written immediately: there may be millions of dead letters, and `head` reads only the first ones.
      Console.write(Array(shown.utf8))
    }
  }

  /// The largest number of bytes shown of a line.
  private static let shownBytesMax = 2000
}

/// The `funnel rejected retry` command: ingests rejected lines again, and removes those that are accepted.
struct RejectedRetryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry",
    abstract:
      "Try to ingest rejected lines again, for example after fixing a schema; accepted ones are no longer kept as rejected.",
    discussion: """
      EXAMPLE
        funnel rejected retry --schemas my-flows/
        funnel rejected retry --map todo.map.json

      \(ExitStatus.section(.noInput, .cannotCreate, .inputOutput, .locked, .configuration))
      """)

  @OptionGroup var store: StoreOption
  @OptionGroup var schemas: SchemaOption

  @Option(help: ArgumentHelp("App of events that don't name one.", valueName: "app"), completion: Completions.apps)
  var app: String?

  @OptionGroup var imports: ImportOptions
  @OptionGroup var clock: ClockOption
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var lock: LockOption

  func run() throws {
    try StoreReader.requireStore(store.path)
    let run = IngestOperation(
      storePath: store.path, definitions: schemas.sources, now: try clock.present(), threads: threads.count,
      lockTimeout: try lock.timeout(),
      app: try AppName.checked(app), subjects: nil, imports: imports.settings)
    let (summary, remembered) = try run.retryRejected(monitor: Console.monitor)
    var text =
      "retried \(Quantity.counted(summary.letters, "dead letter")): \(Quantity.count(summary.events.accepted)) accepted"
    text += ", \(Quantity.counted(summary.events.duplicates, "duplicate")), \(Quantity.count(summary.refused)) still rejected"
    if summary.notReplayable > 0 {
      text += ", \(Quantity.count(summary.notReplayable)) can't be retried (masked, cut or damaged)"
    }
    if summary.forgotten > 0 { text += ", \(Quantity.count(summary.forgotten)) of forgotten subjects deleted" }
    if !remembered.isEmpty { text += "\n\(RememberedFlows.text(remembered))" }
    Console.print(text + "\n")
  }
}

extension DeadLetter {
  /// The message without its column number, which differs from line to line.
  fileprivate var messageWithoutColumn: String {
    guard message.hasPrefix("column "), let colon = message.firstIndex(of: ":") else { return message }
    return String(message[colon...].dropFirst(2))
  }
}
