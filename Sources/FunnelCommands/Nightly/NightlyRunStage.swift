import FunnelModel

/// A part of a night that can fail alone. What failed is made good the next night.
enum NightlyRunStage: String, CaseIterable {
  /// Take in what arrived.
  case ingest
  /// Make the log of closed days compact.
  case compact
  /// Compute the numbers, and write them as JSON, Markdown and CSV.
  case report
  /// Write the pages.
  case page
  /// Hold the numbers against the rules of `--alerts`.
  case alerts
  /// Write the numbers of the last days into `--database`.
  case database
  /// Keep a state of each closed day in `--states`.
  case states
  /// Drop what was kept as long as its flow says.
  case retention
  /// Write `--metrics`.
  case metrics
  /// Pass the night's messages on to `--notify`.
  case notify
}

/// What came of the stages of a night.
struct NightlyRunStages {
  /// How a stage ended.
  enum Outcome: String {
    case done, failed, skipped
  }

  /// One stage that ended, or was not begun.
  struct Record {
    let stage: NightlyRunStage
    let outcome: Outcome
    let seconds: Double
    /// Why it failed or was skipped; nil if it was done.
    let reason: String?
  }

  private(set) var records: [Record] = []
  var problems = NightlyProblems()

  /// Runs a stage. It fails if its body throws or adds a problem; the night goes on.
  ///
  /// - Returns: Whether the body ran to its end.
  @discardableResult
  mutating func run(_ stage: NightlyRunStage, _ body: (inout NightlyProblems) throws(FunnelError) -> Void) -> Bool {
    let start = ContinuousClock.now
    let known = problems.messages.count
    var isWhole = true
    do {
      try body(&problems)
    } catch {
      problems.add(error)
      isWhole = false
    }
    let reason = problems.messages.count > known ? problems.messages[known] : nil
    records.append(
      Record(stage: stage, outcome: reason == nil ? .done : .failed, seconds: start.secondsSince, reason: reason))
    return isWhole
  }

  /// Runs a stage without which the night is a success still.
  mutating func runOptional(
    _ stage: NightlyRunStage, _ body: () throws(FunnelError) -> Void, onFailure: (String) -> Void
  ) {
    let start = ContinuousClock.now
    var reason: String?
    do {
      try body()
    } catch {
      reason = error.message
      onFailure(error.message)
    }
    records.append(
      Record(stage: stage, outcome: reason == nil ? .done : .failed, seconds: start.secondsSince, reason: reason))
  }

  /// Records that the last stage had to wait for the next night.
  mutating func replaceLast(by stage: NightlyRunStage, skippedBecause reason: String) {
    precondition(records.last?.stage == stage, "the stage has just been run")
    records.removeLast()
    skip(stage, because: reason)
  }

  /// Records a stage that is not begun.
  mutating func skip(_ stage: NightlyRunStage, because reason: String) {
    records.append(Record(stage: stage, outcome: .skipped, seconds: 0, reason: reason))
  }
}

extension ContinuousClock.Instant {
  /// The seconds that have passed since.
  var secondsSince: Double {
    let (seconds, attoseconds) = (ContinuousClock.now - self).components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
