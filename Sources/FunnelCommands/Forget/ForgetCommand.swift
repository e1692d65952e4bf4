import ArgumentParser
import FunnelIngest
import FunnelHistories
import FunnelStore
import FunnelMaintenance
import FunnelModel
import FunnelSystem

/// The `funnel forget` command, which erases subjects from the store.
struct ForgetCommand: ParsableCommand {
  private static let exitStatus = ExitStatus.section(
    .unusableInput, .noInput, .cannotCreate, .inputOutput, .locked, .configuration,
    special: [.unusableInput: "a list of subjects can't be used", .configuration: "the key is missing or wrong"])

  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Erase subjects from the store, and keep them out for good.",
    discussion: """
      Every event and every dead letter of the subjects goes, from the log, the dead letters and the index, in one commit: after it, \
      or after whatever broke it off, the store is as before or as if they had never been in it. All else stays byte by byte. \
      A dead letter goes if a subject stands anywhere in it as a word; of what 'funnel log repair' put aside into damaged/, all that \
      holds one or can't be searched. What stays is a salted hash of each \
      subject, by which a later ingest of an old export leaves them out; also of one that is not in the store.

      In a store of pseudonyms give the raw ids; the key finds what they became.

      Out of reach are copies: backups, snapshots of the file system, the inbox's done/ folder, reports written before; and what a disk \
      keeps of blocks that were freed.

      EXAMPLE
        funnel forget inst_4f2a91
        funnel forget --from requests.txt --dry-run
        psql -Atc 'select install_id from erasure_requests' | funnel forget --from -

      \(exitStatus)
      """)

  @Argument(help: ArgumentHelp("Subjects, as they stand in the events.", valueName: "subject"))
  var subjects: [String] = []

  @Option(
    help: ArgumentHelp("A list of subjects, one a line; - is standard input (repeatable).", valueName: "file"),
    completion: .file())
  var from: [String] = []

  @OptionGroup var store: StoreOption
  @OptionGroup var key: KeyFileOption

  @Flag(help: "Say how much would go, and change nothing.")
  var dryRun = false

  @OptionGroup var clock: ClockOption
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var lock: LockOption

  @Option(help: ArgumentHelp("text or json (default: text).", valueName: "format"))
  var format: SummaryFormat = .text

  func validate() throws {
    if subjects.isEmpty, from.isEmpty { throw ValidationError("nobody to forget: name subjects, or a list with --from") }
    for (number, subject) in subjects.enumerated() {
      if let complaint = SubjectList.complaint(about: subject) {
        throw ValidationError("argument \(number + 1) is no subject: \(complaint)")
      }
    }
  }

  func run() throws {
    let now = try clock.present()
    let subjects = try SubjectListOption.subjects(named: subjects, lists: from)
    try StoreReader.requireStore(store.path)
    let run = ErasureOperation(
      storePath: store.path, subjects: subjects, keyFile: key.keyFile, now: now, threads: threads.count,
      lockTimeout: try lock.timeout())
    let report = dryRun ? try run.rehearse() : try run.carryOut()
    switch format {
    case .text: Console.print(report.text)
    case .json: Console.print(report.json)
    }
  }
}

/// The subjects given to `forget`.
enum SubjectListOption {
  /// Returns the subjects of the command line and of the lists, each once.
  static func subjects(named: [String], lists: [String]) throws(FunnelError) -> [String] {
    var subjects: [String] = []
    var known: Set<[UInt8]> = []
    for list in [named] + (try lists.map { (path) throws(FunnelError) in try Self.subjects(in: path) }) {
      for subject in list where known.insert(Array(subject.utf8)).inserted { subjects.append(subject) }
    }
    return subjects
  }

  private static func subjects(in path: String) throws(FunnelError) -> [String] {
    let name = path == "-" ? "standard input" : path
    let file = path == "-" ? File.standardInput : try LocalFileSystem().open(StoragePath(path), for: .read)
    let reader = DecodedReader(file)
    var bytes: [UInt8] = []
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 8)
    defer { chunk.deallocate() }
    while true {
      let count = try reader.read(into: chunk)
      if count == 0 { break }
      bytes.append(contentsOf: chunk[..<count])
      guard bytes.count <= Limits.subjectListBytesMax else {
        throw FunnelError(
          .unusableInput,
          "\(name.printable) is longer than \(Quantity.bytes(Limits.subjectListBytesMax)), cut the list into several")
      }
    }
    if let damage = reader.damage {
      throw FunnelError(.unusableInput, "\(name.printable) is a damaged gzip file, \(damage.reason), make the list again")
    }
    return try SubjectList.parse(bytes, named: name)
  }
}
