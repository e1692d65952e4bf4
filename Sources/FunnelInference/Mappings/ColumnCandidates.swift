import FunnelImport
import FunnelModel

/// The columns of a CSV file that have no inferred role yet, with the properties of their values.
struct ColumnCandidates {
  /// The properties of the values of a column.
  struct Values {
    /// Whether there are values and all of them are times.
    var isTime = false
    /// The number of distinct values.
    var distinct = 0
    /// Whether all values are distinct.
    var isUnique = false
    /// The reason, as a clause, why the name or a value of the column is personal data, or `nil` if it is not.
    var personal: String?
  }

  private var columns: [(name: String, values: Values)]

  /// The maximum length of a word that only matches a whole name.
  private static let shortWordMax = 2

  /// Examines the columns in some records.
  init(_ columns: [String], records: [[String: String]], privacy: PrivacyRules) {
    self.columns = columns.map { column in
      let values = records.compactMap { $0[column] }
      let distinct = Set(values)
      return (
        column,
        Values(
          isTime: !values.isEmpty && values.allSatisfy(ImportedTime.isTime), distinct: distinct.count,
          isUnique: distinct.count == values.count,
          personal: privacy.finding(inColumn: column) ?? distinct.lazy.compactMap { privacy.finding(inCell: $0) }.first)
      )
    }
  }

  /// The columns without an inferred role.
  var remaining: [(name: String, values: Values)] { columns }

  /// Removes a column with one of several names and returns its name, or `nil` if there is none.
  ///
  /// A column whose name equals a word precedes one whose name contains a word. Among these, an earlier word wins. Case
  /// and punctuation are ignored.
  mutating func take(named words: [String], where isFitting: (Values) -> Bool = { _ in true }) -> String? {
    let folded = columns.map { column in column.name.lowercased().filter { $0.isLetter || $0.isNumber } }
    for matches in [
      { (name: String, word: String) in name == word },
      // Short words such as `at` are contained in many names.
      { (name: String, word: String) in word.count > Self.shortWordMax && name.contains(word) },
    ] {
      for word in words {
        if let index = columns.indices.first(where: { matches(folded[$0], word) && isFitting(columns[$0].values) }) {
          return columns.remove(at: index).name
        }
      }
    }
    return nil
  }

  /// Removes the first column that satisfies a predicate and returns its name, or `nil` if there is none.
  mutating func takeFirst(where isFitting: (Values) -> Bool) -> String? {
    columns.firstIndex { isFitting($0.values) }.map { columns.remove(at: $0).name }
  }

  /// Removes the first column with the lowest score and returns its name, or `nil` if there are no columns.
  mutating func takeMin(by score: (Values) -> Int) -> String? {
    columns.indices.min { (score(columns[$0].values), $0) < (score(columns[$1].values), $1) }.map {
      columns.remove(at: $0).name
    }
  }
}

extension PrivacyRules {
  /// Returns the reason, as a clause, why the name of a column is personal data, or `nil` if it is not.
  func finding(inColumn column: String) -> String? { finding(inKey: Array(column.utf8).span) }

  /// Returns the reason, as a clause, why a value of a column is personal data, or `nil` if it is not.
  func finding(inCell value: String) -> String? {
    finding(inValue: Array(value.utf8).span).map { "has a value that \($0)" }
  }
}
