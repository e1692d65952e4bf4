/// Leaving a flow and starting it again.
extension SubjectRun {
  /// Share of those who left unfinished that start once more.
  static let reentryShare = 0.2
  /// Most runs of one subject through one flow, forced ones not counted.
  static let attemptsMax = 3

  /// Runs through a flow until it is completed or the subject stays away for good; each new start is a new attempt.
  ///
  /// - Returns: whether the flow was completed.
  mutating func attemptUntilDone(_ runThrough: (inout SubjectRun) -> Bool) -> Bool {
    while true {
      if runThrough(&self) { return true }
      guard Int(attempt) + 1 < Self.attemptsMax, random.chance(Self.reentryShare) else { return false }
      attempt += 1
      returnLater(medianHours: 20)
    }
  }
}
