/// Attempts: leaving a flow and starting it again.
extension SubjectPath {
  /// The share of subjects who start again after they left a flow unfinished.
  static let reentryShare = 0.2
  /// The maximum number of attempts of one subject at one flow, without forced ones.
  static let attemptsMax = 3

  /// Runs through a flow until it is completed or the subject leaves for good. Each new start is a new attempt.
  ///
  /// - Returns: Whether the flow was completed.
  mutating func attemptUntilDone(_ runThrough: (inout SubjectPath) -> Bool) -> Bool {
    while true {
      if runThrough(&self) { return true }
      guard Int(attempt) + 1 < Self.attemptsMax, random.chance(Self.reentryShare) else { return false }
      attempt += 1
      returnLater(medianHours: 20)
    }
  }
}
