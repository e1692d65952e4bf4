/// Finds the numbers that two states of a log tell differently, and the commits that made the difference.
///
/// The commits are found by halving: a stretch of commits after which all numbers are as before made no difference, and is not looked into.
public struct RestateSearch {
  /// The states: the earlier one, and each commit up to the later one.
  private let states: [Int]
  private let numbers: (Int) throws -> ReportNumbers
  private var known: [Int: ReportNumbers] = [:]
  private var commits: [ReportNumbers.Key: [Int]] = [:]

  /// - Parameters:
  ///   - from: The commit of the earlier state.
  ///   - commits: The later commits that brought something, up to the later state, in order.
  ///   - numbers: Returns the numbers of the log as it stood after a commit.
  public init(from: Int, commits: [Int], numbers: @escaping (Int) throws -> ReportNumbers) {
    precondition(commits.first.map { $0 > from } ?? true, "later commits are later")
    states = [from] + commits
    self.numbers = numbers
  }

  /// Returns a row for each number that differs, in the order of the report.
  public mutating func rows() throws -> [RestateRow] {
    try look(into: 0..<states.count - 1)
    let (before, after) = (try state(0), try state(states.count - 1))
    let added = after.order.filter { before.counts[$0] == nil }
    return (before.order + added).compactMap { key in
      let (a, b) = (before.counts[key], after.counts[key])
      guard (a ?? 0) != (b ?? 0) else { return nil }
      return RestateRow(
        key: key.row, title: before.titles[key.row] ?? after.titles[key.row] ?? "", number: key.number, before: a, after: b,
        commits: commits[key] ?? [])
    }
  }

  /// Looks into the steps between states, from the state of each index to the next.
  private mutating func look(into steps: Range<Int>) throws {
    guard !steps.isEmpty else { return }
    let (before, after) = (try state(steps.lowerBound), try state(steps.upperBound))
    guard before != after else { return }
    if steps.count == 1 {
      for key in Set(before.counts.keys).union(after.counts.keys) where (before.counts[key] ?? 0) != (after.counts[key] ?? 0) {
        commits[key, default: []].append(states[steps.upperBound])
      }
      return
    }
    let middle = steps.lowerBound + steps.count / 2
    try look(into: steps.lowerBound..<middle)
    try look(into: middle..<steps.upperBound)
  }

  private mutating func state(_ index: Int) throws -> ReportNumbers {
    if let found = known[index] { return found }
    let found = try numbers(states[index])
    known[index] = found
    return found
  }
}

extension Report {
  /// Returns the report of numbers that differ.
  public func restated(_ rows: [RestateRow]) -> Report {
    var report = self
    report.answers = [Answer<RestateReport>(rows: rows)]
    return report
  }
}
