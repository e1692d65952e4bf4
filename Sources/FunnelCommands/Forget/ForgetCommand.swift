import ArgumentParser
import FunnelKit
import FunnelStore
import FunnelMaintenance
import FunnelModel
import FunnelSystem

/// The `funnel forget` command: erases subjects or persons from the store and rejects their later events.
struct ForgetCommand: ParsableCommand {
  private static let exitStatus = ExitStatus.section(
    .unusableInput, .noInput, .cannotCreate, .inputOutput, .locked, .configuration,
    special: [
      .unusableInput: "a list of subjects can't be used, or a name is not that of one person",
      .configuration: "the key is missing or wrong",
    ])

  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Erase subjects or persons from the store and reject their events from now on.",
    discussion: """
      Deletes all events and dead letters of the subjects from the log, the rejected lines and the index, in one commit. If the command \
      is interrupted, either nothing or everything was deleted. All other data stays the same, byte for byte. \
      A dead letter is deleted if it contains a subject anywhere as a word. Files that 'funnel log repair' moved to damaged/ are deleted \
      if they contain a subject or can't be searched. The store keeps a salted hash of each subject, even of one it has no events of, \
      so that a later ingest of an old export rejects its events.

      With --person the names are those of persons, as 'funnel groups' lists them, or of one of their subjects. All events of all their \
      subjects are erased, those of others on a shared device too; the command names these devices. A device of several persons names \
      none of them: the command lists them and erases nothing. Later events are rejected if their subject or their user is one of the \
      persons or of their subjects.

      If the store holds pseudonyms, give the raw ids; the store's key translates them.

      The command can't reach copies: backups, file system snapshots, the inbox's done/ folder, reports written earlier, or disk \
      blocks that were freed but not overwritten.

      EXAMPLE
        funnel forget inst_4f2a91
        funnel forget --from requests.txt --dry-run
        funnel forget --person account-42
        psql -Atc 'select install_id from erasure_requests' | funnel forget --from -

      \(exitStatus)
      """)

  @Argument(help: ArgumentHelp("Subjects, or persons with --person, written exactly as in the events.", valueName: "subject"))
  var subjects: [String] = []

  @Flag(help: "The names are persons, or subjects of persons: erase all their subjects.")
  var person = false

  @Option(
    help: ArgumentHelp("A file with one subject or person per line; - for standard input (repeatable).", valueName: "file"),
    completion: .file())
  var from: [String] = []

  @OptionGroup var store: StoreOption
  @OptionGroup var key: KeyFileOption

  @Flag(help: "Show how much would be deleted, but change nothing.")
  var dryRun = false

  @OptionGroup var clock: ClockOption
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var lock: LockOption

  @Option(help: ArgumentHelp("text or json (default: text).", valueName: "format"))
  var format: SummaryFormat = .text

  func validate() throws {
    if subjects.isEmpty, from.isEmpty { throw ValidationError("no subject given; name subjects, or a list with --from") }
    for (number, subject) in subjects.enumerated() {
      if let complaint = SubjectList.complaint(about: subject) {
        throw ValidationError("argument \(number + 1) is not a valid subject: \(complaint)")
      }
    }
  }

  func run() throws {
    let now = try clock.present()
    let subjects = try SubjectListOption.subjects(named: subjects, lists: from)
    try StoreReader.requireStore(store.path)
    let run = ErasureOperation(
      storePath: store.path, subjects: subjects, isOfPersons: person, keyFile: key.keyFile, now: now,
      threads: threads.count, lockTimeout: try lock.timeout())
    let outcome = dryRun ? try run.preview(monitor: Console.monitor) : try run.apply(monitor: Console.monitor)
    switch format {
    case .text: Console.print(outcome.text)
    case .json: Console.print(outcome.json)
    }
  }
}

/// Collects the subjects given to `funnel forget`.
enum SubjectListOption {
  /// Returns the distinct subjects of the command line and of the list files, in order.
  ///
  /// Subjects are distinct if their bytes differ.
  static func subjects(named: [String], lists: [String]) throws(FunnelError) -> [String] {
    var subjects: [String] = []
    var known: Set<[UInt8]> = []
    for list in [named] + (try lists.map { (path) throws(FunnelError) in try Self.subjects(in: path) }) {
      for subject in list where known.insert(Array(subject.utf8)).inserted { subjects.append(subject) }
    }
    return subjects
  }

  /// The number of bytes to read at a time.
  private static let chunkByteCount = 1 << 18

  /// Reads a list of subjects, which may be compressed. The path `-` is standard input.
  private static func subjects(in path: String) throws(FunnelError) -> [String] {
    let name = path == "-" ? "standard input" : path
    let file = path == "-" ? File.standardInput : try LocalFileSystem().open(StoragePath(path), for: .read)
    let reader = DecodedReader(file)
    var bytes: [UInt8] = []
    while true {
      let chunk = try reader.read(upTo: chunkByteCount)
      if chunk.isEmpty { break }
      bytes += chunk
      guard bytes.count <= Limits.subjectListBytesMax else {
        throw FunnelError(
          .unusableInput,
          "\(name.printable) is longer than \(Quantity.bytes(Limits.subjectListBytesMax)), split it into several lists")
      }
    }
    if let damage = reader.damage {
      throw FunnelError(.unusableInput, "\(name.printable) is a damaged gzip file, \(damage.reason), create the list again")
    }
    return try SubjectList.parse(bytes, named: name)
  }
}
