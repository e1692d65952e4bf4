import FunnelModel
import FunnelSystem

/// The steps of one repair.
struct RepairSteps {
  let files: StoreFiles
  let checker: any RecordChecker
  let now: Timestamp
  let threads: Int
  private(set) var summary = StoreRepair.Summary()

  /// The number of repairs after which a store that is still damaged is reported as beyond repair. A first repair
  /// may reveal further damage; if it does so repeatedly, the disk or the memory is failing.
  private static let roundsMax = 4

  init(files: StoreFiles, checker: any RecordChecker, now: Timestamp, threads: Int) {
    self.files = files
    self.checker = checker
    self.now = now
    self.threads = threads
  }

  /// Replaces a journal that is damaged or lost. Returns the new journal, or the old one if it is intact.
  ///
  /// - Parameter isDryRun: Whether the new journal is only planned and nothing is written.
  mutating func repairJournal(isDryRun: Bool) throws(FunnelError) -> Journal {
    let isThere = try files.fileSystem.status(of: files.journal) != nil
    let head = try files.readHead(for: isDryRun ? .reading : .writing)
    var contents: [UInt8] = []
    if isThere { contents = try files.fileSystem.readAll(files.journal, bytesMax: .max) }
    let journal = try Journal(parsing: contents, path: files.journal.description)
    let damage = try files.damage(of: journal, head)
    if isThere, damage == nil { return journal }
    let plan = try rebuild(journal, contents, damage).plan(at: now)
    summary.isJournalNew = true
    summary.asides = plan.asides.map(\.aside)
    if let damage, !contents.isEmpty {
      summary.asides.append(
        .init(
          path: Journal.path, offset: 0, bytes: contents.count, file: DamagedFolder.path(ofJournal: contents),
          reason: damage.description))
    }
    if !isDryRun {
      try install(plan, replacing: contents)
      summary.commits.append(plan.journal.commits.count)
    }
    return plan.journal
  }

  /// Writes a new journal and its head. First moves the old journal and the data that the new one does not cover to `damaged/`.
  private func install(_ plan: JournalRebuild.Plan, replacing contents: [UInt8]) throws(FunnelError) {
    let folder = DamagedFolder(files: files)
    for piece in plan.asides { try folder.put(piece) }
    if !contents.isEmpty { try folder.put(journal: contents) }
    if try files.fileSystem.status(of: files.journal.parent) == nil {
      try files.fileSystem.createDirectory(files.journal.parent)
      try files.fileSystem.syncDirectory(files.root)
    }
    // The head is written first. If the repair is interrupted between the two writes, the head records a commit
    // that the journal lacks: the store stays damaged, and no writer changes it.
    try AtomicFile.write(
      files.head, JournalHead(of: plan.journal).contents, permissions: .owner, fileSystem: files.fileSystem)
    try AtomicFile.write(files.journal, plan.bytes, permissions: .owner, fileSystem: files.fileSystem)
  }

  /// Returns the rebuild of a damaged journal, from its intact lines or without them.
  private func rebuild(
    _ journal: Journal, _ contents: [UInt8], _ damage: JournalDamage?
  ) throws(FunnelError) -> JournalRebuild {
    // If a journal lacks commits, later changes of the store are unknown, and it may be the journal of another
    // store. Its lines are kept only if everything they cover is intact.
    if let damage, damage.line == nil, try !verifier(of: journal, checker: nil).run().all.isEmpty {
      return JournalRebuild(files: files, journal: Journal(), contents: [])
    }
    return JournalRebuild(files: files, journal: journal, contents: contents)
  }

  /// Adds what a repair would do to the log files to the summary. Writes nothing.
  mutating func previewLogFiles(of journal: Journal) throws(FunnelError) {
    let damage = try LogFileDamage(verifier(of: journal, checker: checker).run(), journal.coverage)
    summary.eventsBefore = StoreReader(files, journal).eventCount
    summary.findings = damage.findings
    summary.logFiles = damage.logFiles.map(\.name)
    var sink = CountingSink()
    for logFile in damage.logFiles {
      try damage.repairer(of: logFile, files, checker).run(into: &sink)
    }
    summary.asides += sink.asides
    let damaged = damage.logFiles.reduce(0) { $0 + ($1.name.area == .log ? $1.records : 0) }
    summary.eventsAfter = summary.eventsBefore - damaged + sink.events
  }

  /// Rewrites damaged log files until a verification finds no more damage.
  ///
  /// - Parameter lock: The acquired lock of the store.
  mutating func repairLogFiles(of journal: Journal, _ lock: File) throws(FunnelError) {
    var options = StoreWriter.Options()
    options.threads = threads
    let journalFile = try files.openJournal()
    let writer = try StoreWriter(recovering: files, options, lock, journalFile, journal)
    summary.recovery = writer.recovery
    summary.eventsBefore = writer.reader.eventCount
    var damage = try damage(of: writer)
    for _ in 0..<Self.roundsMax where !damage.logFiles.isEmpty {
      summary.findings += damage.findings
      try rewrite(damage, with: writer)
      damage = try self.damage(of: writer)
    }
    guard damage.logFiles.isEmpty else {
      throw FunnelError(
        .inputOutput, "\(files.root) is still damaged after \(Self.roundsMax) repairs, check the disk and the memory")
    }
    summary.eventsAfter = writer.reader.eventCount
  }

  private func damage(of writer: StoreWriter) throws(FunnelError) -> LogFileDamage {
    try LogFileDamage(verifier(of: writer.journal, checker: checker).run(), writer.journal.coverage)
  }

  private mutating func rewrite(_ damage: LogFileDamage, with writer: StoreWriter) throws(FunnelError) {
    var batch = CommitBatch(kind: .repair, at: now)
    batch.removed = damage.logFiles.map(\.name)
    var asides: [StoreRepair.Aside] = []
    let (files, checker) = (files, checker)
    let commit = try writer.rewrite(batch) { (rewriting) throws(FunnelError) in
      var sink = RewritingSink(rewriting: rewriting, folder: DamagedFolder(files: files))
      for logFile in damage.logFiles { try damage.repairer(of: logFile, files, checker).run(into: &sink) }
      try sink.finish()
      asides = sink.asides
    }
    summary.asides += asides
    summary.logFiles += batch.removed
    summary.commits.append(commit.number)
  }

  private func verifier(of journal: Journal, checker: (any RecordChecker)?) -> StoreVerifier {
    StoreVerifier(
      files: files, coverage: journal.coverage, checker: checker, threads: threads,
      hashBytesMax: Limits.verificationHashBytesMax, progress: { _ in })
  }
}

/// The findings of a verification, grouped by log file.
private struct LogFileDamage {
  let findings: [StoreVerification.Finding]
  /// The damaged log files, sorted.
  let logFiles: [CoveredLogFile]
  /// The numbers of duplicate records, by log file and offset of the member.
  private let duplicates: [LogFileName: [Int: Set<Int>]]

  init(_ verified: StoreVerifier.Findings, _ coverage: Coverage) {
    findings = verified.all
    logFiles = Set(findings.compactMap(\.logFile)).sorted().compactMap { coverage.logFiles[$0] }
    var duplicates: [LogFileName: [Int: Set<Int>]] = [:]
    for place in verified.duplicates {
      duplicates[place.member.logFile, default: [:]][place.member.offset, default: []].insert(place.event.number)
    }
    self.duplicates = duplicates
  }

  func repairer(of logFile: CoveredLogFile, _ files: StoreFiles, _ checker: any RecordChecker) -> LogFileRepairer {
    LogFileRepairer(files: files, logFile: logFile, checker: checker, duplicates: duplicates[logFile.name] ?? [:])
  }
}
