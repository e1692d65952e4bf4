import FunnelIngest
import FunnelIndex
import FunnelStore
import FunnelModel
import FunnelSystem

/// Takes what an inbox holds into the store, and moves each file once what it held is committed.
///
/// Killed in between, a file may be committed and not moved; the next run then finds only duplicates in it, and moves it.
struct NightlyIngest {
  let inbox: NightlyInbox
  let writer: StoreWriter
  let catalog: FlowCatalog
  let options: Ingestor.Options
  private(set) var outcome = NightlyOutcome()
  /// Whether files that were read lie in the inbox still, and will be read again.
  private(set) var hasUnmovedFiles = false
  /// Why the index was not written, where it was not.
  private var indexProblem: String?
  var problems = NightlyProblems()

  /// Bytes of files on the disk that are ingested together. Each ingest ends with putting the index in order, so that one for each file
  /// would be slow; one for all would move nothing before the last byte of a large backlog was read.
  private static let groupBytesTarget = 256 << 20

  init(inbox: NightlyInbox, writer: StoreWriter, catalog: FlowCatalog, options: Ingestor.Options) {
    self.inbox = inbox
    self.writer = writer
    self.catalog = catalog
    self.options = options
  }

  /// Takes in everything that is there.
  ///
  /// - Throws: what the store throws; a file that can't be taken is a problem, and the others are taken all the same.
  mutating func run() throws {
    let contents = try inbox.contents()
    outcome.left = contents.left
    for problem in contents.closedFolders { problems.add(problem) }
    for (arrival, reason) in contents.unreadable { fail(arrival, reason.message) }
    let progress = ProgressLine(label: "ingesting", files: contents.arrivals.map(\.input))
    var rest = contents.arrivals[...]
    while !rest.isEmpty {
      try ingest(Self.takeGroup(from: &rest), progress)
    }
    progress.finish()
    if let indexProblem { Console.complain("the index was not written, reports read the log meanwhile: \(indexProblem)") }
  }

  private static func takeGroup(from rest: inout ArraySlice<NightlyInbox.Arrival>) -> [NightlyInbox.Arrival] {
    var group: [NightlyInbox.Arrival] = []
    var bytes = 0
    while bytes < groupBytesTarget, let next = rest.popFirst() {
      group.append(next)
      bytes += next.status.size
    }
    return group
  }

  private mutating func ingest(_ group: [NightlyInbox.Arrival], _ progress: ProgressLine) throws {
    let eventsBefore = writer.reader.eventCount
    var arrivals = group
    while !arrivals.isEmpty {
      do {
        let known = IndexedEvents(into: writer, threads: options.threads)
        let summary = try Ingestor(into: writer, catalog: catalog, options: options)
          .ingest(arrivals.map(\.input), knownBy: known, progress: progress.update)
        if let problem = known.problem { indexProblem = problem }
        outcome.add(summary, accepted: writer.reader.eventCount - eventsBefore)
        for arrival in arrivals { settle(arrival, summary.countsByFile[Array(arrival.input.path.utf8)]) }
        return
      } catch let error as FunnelError {
        // The store's fault, unless one of the files can't be read to its end.
        let failures = arrivals.map { inbox.readFailure(of: $0) }
        guard failures.contains(where: { $0 != nil }) else { throw error }
        for (arrival, failure) in zip(arrivals, failures) {
          if let failure { fail(arrival, failure.message) }
        }
        arrivals = zip(arrivals, failures).filter { $0.1 == nil }.map(\.0)
      }
    }
  }

  /// Moves a file that was read, by what it held; an empty one is as good as any other, and so is one of people who were forgotten.
  private mutating func settle(_ arrival: NightlyInbox.Arrival, _ counts: InputCounts?) {
    if let counts, counts.badCount > 0, counts.events == 0 {
      let path = arrival.input.path.printable
      let advice = counts.misshapenFiles.first.map(RefusalReport.text) ?? "mend it and put it back"
      return fail(arrival, "no event in the file, \(path), \(RejectSummary.sentence(counts)), \(advice)")
    }
    let isDamaged = counts?.rejected[.damagedGzip] != nil
    guard move(arrival, to: .done) else { return }
    outcome.filesDone += 1
    guard isDamaged, let counts else { return }
    outcome.filesDamaged += 1
    Console.complain(
      "damaged gzip, \(arrival.input.path.printable), the \(Quantity.counted(counts.events, "event")) before the damage"
        + " \(counts.events == 1 ? "was" : "were") taken; send the file again"
    )
  }

  private mutating func fail(_ arrival: NightlyInbox.Arrival, _ reason: String) {
    guard move(arrival, to: .failed) else { return }
    outcome.filesFailed += 1
    problems.add(FunnelError(.unusableInput, "\(reason); it was moved to \(NightlyInbox.Destination.failed.rawValue)/"))
  }

  private mutating func move(_ arrival: NightlyInbox.Arrival, to destination: NightlyInbox.Destination) -> Bool {
    do throws(FunnelError) {
      if try inbox.move(arrival, to: destination, at: options.decoding.now) { return true }
      outcome.left.add(arrival.name, .changed)
      Console.complain(
        "a file changed while it was read, \(arrival.input.path.printable), left for the next run; upload as NAME.part, then rename"
      )
    } catch {
      outcome.left.add(arrival.name, .notMoved)
      problems.add(error)
    }
    hasUnmovedFiles = true
    return false
  }
}
