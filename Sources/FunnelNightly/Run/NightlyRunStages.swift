import FunnelKit
package import FunnelModel

/// A stage of a nightly run. A failed stage does not stop the others, and the next run repeats its work.
enum NightlyRunStage: String, CaseIterable {
  /// Ingest the files of the inbox.
  case ingest
  /// Compact the log of finished days.
  case compact
  /// Compute the numbers, and write them as JSON, Markdown and CSV.
  case report
  /// Write the HTML pages.
  case page
  /// Check the numbers against the rules of `--alerts`.
  case alerts
  /// Write the numbers of the last days to `--database`.
  case database
  /// Write the state of each closed day to `--states`.
  case states
  /// Drop events that are older than their flows allow.
  case retention
  /// Write `--metrics`.
  case metrics
  /// Pass the messages of the run to the command of `--notify`.
  case notify
}

/// Runs the stages of a nightly run and records their outcomes.
package struct NightlyRunStages {
  /// The outcome of a stage.
  enum Outcome: String {
    case done, failed, skipped
  }

  /// The record of a stage that ended or was skipped.
  struct Record {
    let stage: NightlyRunStage
    let outcome: Outcome
    let seconds: Double
    /// The reason why it failed or was skipped, or `nil` if it succeeded.
    let reason: String?
  }

  /// The records so far, in order.
  private(set) var records: [Record] = []
  /// The errors of the stages so far.
  package internal(set) var problems: NightlyProblems

  init(monitor: any OperationMonitor) {
    problems = NightlyProblems(monitor: monitor)
  }

  /// Runs a stage and records its outcome. The stage fails if its body throws or adds a problem.
  ///
  /// - Returns: The value of the body, or `nil` if it threw an error.
  mutating func run<Value>(
    _ stage: NightlyRunStage, _ body: (inout NightlyProblems) throws(FunnelError) -> Value
  ) -> Value? {
    let start = ContinuousClock.now
    let known = problems.messages.count
    var value: Value?
    do {
      value = try body(&problems)
    } catch {
      problems.add(error)
    }
    record(stage, since: start, failure: problems.messages.count > known ? problems.messages[known] : nil)
    return value
  }

  /// Runs a stage whose failure is recorded but does not affect the exit code.
  mutating func runOptional<Value>(
    _ stage: NightlyRunStage, _ body: () throws(FunnelError) -> Value
  ) -> Result<Value, FunnelError> {
    let start = ContinuousClock.now
    do {
      let value = try body()
      record(stage, since: start, failure: nil)
      return .success(value)
    } catch {
      record(stage, since: start, failure: error.message)
      return .failure(error)
    }
  }

  /// Records the outcome of a stage that has just ended.
  private mutating func record(_ stage: NightlyRunStage, since start: ContinuousClock.Instant, failure: String?) {
    records.append(
      Record(stage: stage, outcome: failure == nil ? .done : .failed, seconds: start.secondsSince, reason: failure))
  }

  /// Records that a stage was skipped.
  mutating func skip(_ stage: NightlyRunStage, because reason: String) {
    records.append(Record(stage: stage, outcome: .skipped, seconds: 0, reason: reason))
  }
}

extension ContinuousClock.Instant {
  /// The time in seconds that has passed since this instant.
  var secondsSince: Double {
    (ContinuousClock.now - self) / .seconds(1)
  }
}

/// The errors after which a nightly run continues. The monitor receives each at once, and the most severe one
/// determines the exit code.
package struct NightlyProblems {
  /// The most severe error code, or `nil` if there was no error.
  package private(set) var code: FunnelError.Code?
  /// Receives each error at once.
  private let monitor: any OperationMonitor
  /// The messages of the errors, in order.
  private(set) var messages: [String] = []

  init(monitor: any OperationMonitor) {
    self.monitor = monitor
  }

  /// Passes an error to the monitor, and updates the exit code.
  mutating func add(_ problem: FunnelError) {
    monitor.note(problem.message)
    messages.append(problem.message)
    if let code, code.severity >= problem.code.severity { return }
    code = problem.code
  }

  /// Runs a body whose failure must not prevent later ones. Returns whether it succeeded.
  mutating func tolerating(_ body: () throws(FunnelError) -> Void) -> Bool {
    do {
      try body()
      return true
    } catch {
      add(error)
      return false
    }
  }
}

extension FunnelError.Code {
  /// The rank among the codes: that of the most severe error becomes the exit code.
  fileprivate var severity: Int {
    switch self {
    case .inputOutput: 7
    case .cannotCreate: 6
    case .locked: 5
    case .configuration: 4
    case .usage: 3
    case .noInput: 2
    case .unusableInput: 1
    }
  }
}
