import FunnelModel

/// The columns that may name events beside the inferred one: people have several of their values, in a common order.
struct NameCandidates: Hashable, Sendable {
  /// A column that may name events.
  struct Candidate: Hashable, Sendable {
    var column: String
    /// The number of its distinct values.
    var nameCount: Int

    /// The column and the number of names: `phase (4 names)`.
    var text: String { "\(column) (\(Quantity.counted(nameCount, "name")))" }
  }

  /// The inferred column.
  let chosen: Candidate
  /// The other columns, those with the fewest names first.
  let others: [Candidate]

  /// The number of names that a column has at most. More are rarely steps.
  private static let namesMax = 30
  /// The number of columns that are told.
  private static let othersMax = 3
  /// The share of pairs of names that people have in the more common order.
  private static let orderedShareMin = 0.9
  /// The number of such pairs below which nothing is concluded.
  private static let pairsMin = 4

  /// Examines columns.
  ///
  /// - Parameters:
  ///   - columns: The columns that have no other role, with the properties of their values.
  ///   - name: The inferred column.
  ///   - subject: The column of the people.
  init(
    _ columns: [(name: String, values: ColumnCandidates.Values)], beside name: String, of subject: String,
    _ records: [[String: String]]
  ) {
    chosen = Candidate(column: name, nameCount: Set(records.compactMap { $0[name] }).count)
    others = columns.filter { column in
      ColumnCandidates.mayBeName(column.values) && !column.values.areNumbers
        && (2...Self.namesMax).contains(column.values.distinct)
        && Self.haveCommonOrder(column.name, of: subject, records)
    }.map { Candidate(column: $0.name, nameCount: $0.values.distinct) }
      .sorted { ($0.nameCount, $0.column) < ($1.nameCount, $1.column) }
      .prefix(Self.othersMax).map(\.self)
  }

  /// Returns whether people have several of the values of a column, nearly always in the same order.
  static func haveCommonOrder(_ column: String, of subject: String, _ records: [[String: String]]) -> Bool {
    haveCommonOrder(records.lazy.compactMap { record in record[subject].flatMap { who in record[column].map { (who, $0) } } })
  }

  /// Returns whether people have several of the names, nearly always in the same order.
  ///
  /// A table that is sorted newest first has the reverse order, which is a common one too.
  private static func haveCommonOrder(_ names: some Sequence<(subject: String, name: String)>) -> Bool {
    var orders: [String: [String]] = [:]
    for (subject, name) in names where orders[subject]?.contains(name) != true { orders[subject, default: []].append(name) }
    var counts: [Pair: Int] = [:]
    for order in orders.values {
      for (index, first) in order.enumerated() {
        for second in order[(index + 1)...] { counts[Pair(first: first, second: second), default: 0] += 1 }
      }
    }
    let all = counts.values.reduce(0, +)
    let ordered = counts.reduce(0) { $0 + ($1.value > counts[$1.key.reversed] ?? 0 ? $1.value : 0) }
    return all >= pairsMin && Double(ordered) >= orderedShareMin * Double(all)
  }

  /// Two names of a person, in order.
  private struct Pair: Hashable {
    var first: String
    var second: String

    var reversed: Pair { Pair(first: second, second: first) }
  }

  /// The sentence about the other columns, or `nil` if there are none.
  var sentence: String? {
    guard let first = others.first else { return nil }
    return "name: \(chosen.text); \(others.map(\.text).joined(separator: ", ")) would do too: --name \(first.column)"
  }
}
