/// Finds the numbers that differ between two commits of a log, and the commits that changed them.
///
/// The commits are found by bisection. A range of commits with equal numbers before and after it is skipped,
/// even if changes within it cancel out.
package struct RestateSearch {
  /// The earlier commit, followed by each later commit in order.
  private let states: [Int]
  private let numbers: (Int) throws -> ReportNumbers
  /// The computed numbers, by index of the commit.
  private var known: [Int: ReportNumbers] = [:]
  private var commits: [ReportNumbers.Key: [Int]] = [:]

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - from: The earlier commit.
  ///   - commits: The commits after it that changed the log, in order, up to the later commit.
  ///   - numbers: Returns the numbers of the log as of a commit.
  package init(from: Int, commits: [Int], numbers: @escaping (Int) throws -> ReportNumbers) {
    precondition(commits.first.map { $0 > from } ?? true, "later commits are later")
    precondition(zip(commits, commits.dropFirst()).allSatisfy { $0 < $1 }, "commits are in order")
    states = [from] + commits
    self.numbers = numbers
  }

  /// Returns a row for each number that differs, in the order of the report.
  ///
  /// - Throws: The error of `numbers`.
  package mutating func rows() throws -> [RestateRow] {
    try bisect(0..<states.count - 1)
    let before = try state(0)
    let after = try state(states.count - 1)
    let added = after.order.filter { before.counts[$0] == nil }
    return (before.order + added).compactMap { key in
      let a = before.counts[key]
      let b = after.counts[key]
      guard (a ?? 0) != (b ?? 0) else { return nil }
      return RestateRow(
        key: key.row, title: before.titles[key.row] ?? after.titles[key.row] ?? "", number: key.number, before: a, after: b,
        commits: commits[key] ?? [])
    }
  }

  /// Whether the log has numbers as of the earlier or the later commit. The search must have returned its rows.
  package var hasNumbers: Bool { [0, states.count - 1].contains { known[$0]?.counts.isEmpty == false } }

  /// Bisects a range of steps. Step `i` leads from the commit at index `i` to the next one.
  private mutating func bisect(_ steps: Range<Int>) throws {
    guard !steps.isEmpty else { return }
    let before = try state(steps.lowerBound)
    let after = try state(steps.upperBound)
    guard before != after else { return }
    if steps.count == 1 {
      for key in Set(before.counts.keys).union(after.counts.keys) where (before.counts[key] ?? 0) != (after.counts[key] ?? 0) {
        commits[key, default: []].append(states[steps.upperBound])
      }
      return
    }
    let middle = steps.lowerBound + steps.count / 2
    try bisect(steps.lowerBound..<middle)
    try bisect(middle..<steps.upperBound)
  }

  private mutating func state(_ index: Int) throws -> ReportNumbers {
    if let found = known[index] { return found }
    let found = try numbers(states[index])
    known[index] = found
    return found
  }
}

extension Report {
  /// Returns a report of the numbers that differ, with the same query.
  package func restated(_ rows: [RestateRow]) -> Report {
    var report = self
    report.answers = [ReportRows<RestateReport>(rows: rows)]
    return report
  }
}
