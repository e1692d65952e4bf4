import FunnelModel
import FunnelSystem

/// Performs a verification: finds the members of all log files, then divides the work on them evenly between threads.
struct StoreVerifier: Sendable {
  typealias Finding = StoreVerification.Finding

  let files: StoreFiles
  let checker: (any RecordChecker)?
  let threads: Int
  let logFiles: [CoveredLogFile]
  let duplicateFinder: DuplicateFinder
  let counter: VerificationCounter

  /// The inflated size of the members that are checked together, so that a file is not opened for each of many small members.
  static let taskRawBytesTarget = Limits.memberRawBytesTarget

  init(
    files: StoreFiles, coverage: Coverage, checker: (any RecordChecker)?, threads: Int, hashBytesMax: Int,
    progress: @escaping @Sendable (StoreVerification.Progress) -> Void
  ) {
    self.files = files
    self.checker = checker
    self.threads = threads
    logFiles = LogFileName.Area.allCases.flatMap { coverage.logFiles(of: $0) }
    let events = logFiles.reduce(0) { $0 + ($1.name.area == .log ? $1.records : 0) }
    duplicateFinder = DuplicateFinder(events: checker == nil ? 0 : events, bytesMax: hashBytesMax)
    counter = VerificationCounter(total: logFiles.reduce(0) { $0 + $1.bytes } * duplicateFinder.sliceCount, progress: progress)
  }

  /// The findings of a verification.
  struct Findings {
    /// All findings, including those about duplicates.
    var all: [Finding]
    /// The second and later occurrences of events in the log.
    var duplicates: [DuplicateFinder.Place]
  }

  /// Verifies the store. Returns the findings in the order of the log files, then those about duplicates.
  func run() throws(FunnelError) -> Findings {
    let plans = try Parallel.map(count: logFiles.count, threads: threads) { (index) throws(FunnelError) in
      try plan(for: logFiles[index])
    }
    let extents = plans.flatMap(\.extents)
    var tasks: [(extent: Int, work: Work)] = []
    for (number, extent) in extents.enumerated() {
      // The members are checked after the hash of their extent, when their bytes are in the page cache.
      if extent.gaps.isEmpty { tasks.append((number, .digest)) }
      tasks += Self.sections(of: extent.members).map { (number, .members($0)) }
    }
    let results = try Parallel.map(count: tasks.count, threads: threads) { [tasks] (index) throws(FunnelError) in
      try perform(tasks[index].work, of: extents[tasks[index].extent])
    }
    var findings = plans.map(\.findings)
    var resultsByExtent = [[Result]](repeating: [], count: extents.count)
    for (task, result) in zip(tasks, results) { resultsByExtent[task.extent].append(result) }
    var extentIndex = 0
    for (planIndex, plan) in plans.enumerated() {
      for extent in plan.extents {
        findings[planIndex] += self.findings(about: extent, resultsByExtent[extentIndex])
        extentIndex += 1
      }
    }
    let duplicates = try duplicates(among: extents)
    return Findings(all: findings.joined() + duplicates.map(finding(about:)), duplicates: duplicates.map(\.duplicate))
  }

  /// Returns the duplicate events in the log, each with its first occurrence.
  private func duplicates(
    among extents: [PlannedExtent]
  ) throws(FunnelError) -> [(duplicate: DuplicateFinder.Place, first: DuplicateFinder.Place)] {
    guard checker != nil else { return [] }
    let sections = extents.flatMap { Self.sections(of: $0.members) }
    for slice in 1..<max(duplicateFinder.sliceCount, 1) {
      try duplicateFinder.begin(slice: slice, threads: threads)
      _ = try Parallel.map(count: sections.count, threads: threads) { (index) throws(FunnelError) in
        try forEachEvents(of: sections[index]) { events, _ in duplicateFinder.add(events) }
        counter.add(sections[index].reduce(0) { $0 + $1.header.memberBytes })
      }
    }
    try duplicateFinder.finish(threads: threads)
    guard !duplicateFinder.suspects.isEmpty else { return [] }
    let places = try Parallel.map(count: sections.count, threads: threads) { (index) throws(FunnelError) in
      var places: [DuplicateFinder.Place] = []
      try forEachEvents(of: sections[index]) { events, member in places += duplicateFinder.places(of: events, in: member) }
      return places
    }
    return DuplicateFinder.duplicates(among: places.flatMap(\.self))
  }

  private func finding(about pair: (duplicate: DuplicateFinder.Place, first: DuplicateFinder.Place)) -> Finding {
    let (duplicate, first) = pair
    let other = first.member.logFile == duplicate.member.logFile ? "" : " of \(first.member.logFile)"
    return finding(
      duplicate.member.logFile, duplicate.member.offset,
      "the event is already in the log, at byte \(first.member.offset)\(other), record \(first.event.number)",
      record: duplicate.event.number)
  }

  /// Passes the events of each member to `body`. Skips damaged members, which were reported before.
  private func forEachEvents(
    of members: ArraySlice<MemberReference>, _ body: ([RecordFindings.Record], MemberReference) -> Void
  ) throws(FunnelError) {
    guard let checker, let logFile = members.first?.logFile, logFile.area == .log else { return }
    let file = try files.fileSystem.open(files.path(of: logFile), for: .read)
    for member in members {
      let bytes = try files.fileSystem.read(file, at: member.offset, count: member.header.memberBytes)
      guard case .success(let raw) = bytes.decoded else { continue }
      body(checker.check(raw, in: logFile).records, member)
    }
  }
}

/// Adds up the bytes that all threads have verified, and reports the progress.
final class VerificationCounter: Sendable {
  private let done = Guarded(0)
  private let total: Int
  private let progress: @Sendable (StoreVerification.Progress) -> Void

  init(total: Int, progress: @escaping @Sendable (StoreVerification.Progress) -> Void) {
    self.total = total
    self.progress = progress
  }

  /// Adds a number of bytes, and reports the sum. May be called on any thread.
  func add(_ bytes: Int) {
    let sum = done.withLock { done in
      done += bytes
      return done
    }
    progress(.init(bytesDone: sum, bytesTotal: total))
  }
}
