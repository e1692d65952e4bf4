import FunnelModel
import FunnelSystem

/// The steps of one repair.
struct RepairOperation {
  let files: StoreFiles
  let checker: any RecordChecker
  let now: Timestamp
  let threads: Int
  private(set) var summary = StoreRepair.Summary()

  /// The number of rounds after which a store that is still damaged is given up. Each is followed by a verification, which reads the whole
  /// store.
  private static let roundsMax = 4

  init(files: StoreFiles, checker: any RecordChecker, now: Timestamp, threads: Int) {
    self.files = files
    self.checker = checker
    self.now = now
    self.threads = threads
  }

  /// Replaces a journal that is damaged or lost. Returns the journal that is then in effect.
  mutating func mendJournal(isDryRun: Bool) throws(FunnelError) -> Journal {
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
      let folder = DamagedFolder(files: files)
      for piece in plan.asides { try folder.put(piece) }
      if !contents.isEmpty { try folder.put(journal: contents) }
      if try files.fileSystem.status(of: files.journal.parent) == nil {
        try files.fileSystem.createDirectory(files.journal.parent)
        try files.fileSystem.syncDirectory(files.root)
      }
      // The order matters: between the two writes the head records a commit that no journal has, so that no writer does anything.
      try AtomicFile.write(
        files.head, JournalHead(of: plan.journal).contents, permissions: .owner, fileSystem: files.fileSystem)
      try AtomicFile.write(files.journal, plan.bytes, permissions: .owner, fileSystem: files.fileSystem)
      summary.commits.append(plan.journal.commits.count)
    }
    return plan.journal
  }

  /// Returns the source of a new journal: the sound lines and the parts. If a journal lacks commits, it is unknown what else happened to
  /// the store since its last line, and whether it is the journal of that store: its lines are trusted only if everything they cover is
  /// intact.
  private func rebuild(
    _ journal: Journal, _ contents: [UInt8], _ damage: JournalDamage?
  ) throws(FunnelError) -> JournalRebuild {
    if let damage, damage.line == nil, try !verifier(of: journal, checker: nil).run().all.isEmpty {
      return JournalRebuild(files: files, journal: Journal(), contents: [])
    }
    return JournalRebuild(files: files, journal: journal, contents: contents)
  }

  /// Reports what a repair would do to the parts, without writing.
  mutating func lookAtParts(of journal: Journal) throws(FunnelError) {
    let damage = try LogFileDamage(verifier(of: journal, checker: checker).run(), journal.coverage)
    summary.eventsBefore = StoreReader(files, journal).eventCount
    summary.findings = damage.findings
    summary.parts = damage.parts.map(\.name)
    var sink = CountingSink()
    for part in damage.parts {
      try damage.mender(of: part, files, checker).run(into: &sink)
    }
    summary.asides += sink.asides
    let damaged = damage.parts.reduce(0) { $0 + ($1.name.area == .log ? $1.records : 0) }
    summary.eventsAfter = summary.eventsBefore - damaged + sink.events
  }

  /// Rewrites damaged parts until a verification finds no more damage.
  mutating func mendParts(of journal: Journal, _ lock: File) throws(FunnelError) {
    var options = StoreWriter.Options()
    options.threads = threads
    let journalFile = try files.openJournal()
    let writer = try StoreWriter(recovering: files, options, lock, journalFile, journal)
    summary.recovery = writer.recovery
    summary.eventsBefore = writer.reader.eventCount
    var damage = try damage(of: writer)
    for _ in 0..<Self.roundsMax where !damage.parts.isEmpty {
      summary.findings += damage.findings
      try mend(damage, with: writer)
      damage = try self.damage(of: writer)
    }
    guard damage.parts.isEmpty else {
      throw FunnelError(
        .inputOutput, "\(files.root) is still damaged after \(Self.roundsMax) repairs, check the disk and the memory")
    }
    summary.eventsAfter = writer.reader.eventCount
  }

  private func damage(of writer: StoreWriter) throws(FunnelError) -> LogFileDamage {
    try LogFileDamage(verifier(of: writer.journal, checker: checker).run(), writer.journal.coverage)
  }

  private mutating func mend(_ damage: LogFileDamage, with writer: StoreWriter) throws(FunnelError) {
    var batch = CommitBatch(kind: StoreRepair.kind, at: now)
    batch.removed = damage.parts.map(\.name)
    var asides: [StoreRepair.Aside] = []
    let (files, checker) = (files, checker)
    let commit = try writer.rewrite(batch) { (rewriting) throws(FunnelError) in
      var sink = RewritingSink(rewriting: rewriting, folder: DamagedFolder(files: files))
      for part in damage.parts { try damage.mender(of: part, files, checker).run(into: &sink) }
      try sink.finish()
      asides = sink.asides
    }
    summary.asides += asides
    summary.parts += batch.removed
    summary.commits.append(commit.number)
  }

  private func verifier(of journal: Journal, checker: (any RecordChecker)?) -> StoreVerifier {
    StoreVerifier(
      files: files, coverage: journal.coverage, checker: checker, threads: threads,
      hashBytesMax: Limits.verificationHashBytesMax, progress: { _ in })
  }
}

/// The findings of a verification, part by part.
private struct LogFileDamage {
  let findings: [StoreVerification.Finding]
  let parts: [CoveredLogFile]
  private let duplicates: [LogFileName: [Int: Set<Int>]]

  init(_ verified: StoreVerifier.Findings, _ coverage: Coverage) {
    findings = verified.all
    parts = Set(findings.compactMap(\.part)).sorted().compactMap { coverage.parts[$0] }
    var duplicates: [LogFileName: [Int: Set<Int>]] = [:]
    for place in verified.duplicates {
      duplicates[place.member.part, default: [:]][place.member.offset, default: []].insert(place.event.number)
    }
    self.duplicates = duplicates
  }

  func mender(of part: CoveredLogFile, _ files: StoreFiles, _ checker: any RecordChecker) -> LogFileRepairer {
    LogFileRepairer(files: files, part: part, checker: checker, duplicates: duplicates[part.name] ?? [:])
  }
}
