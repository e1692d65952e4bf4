import FunnelImport
import FunnelModel

/// The columns of a CSV that are not yet taken for something, with what their values look like.
struct ColumnGuesses {
  /// What the values of a column look like.
  struct Values {
    /// Whether all of them are times.
    var isTime = false
    /// The number of different ones.
    var distinct = 0
    /// Whether no two are equal.
    var isUnique = false
    /// Why the column is personal data, by its name or its values; nil if it is not.
    var personal: String?
  }

  private var columns: [(name: String, values: Values)]

  init(_ columns: [String], records: [[String: String]], privacy: PrivacyRules) {
    self.columns = columns.map { column in
      let values = records.compactMap { $0[column] }
      let distinct = Set(values)
      return (
        column,
        Values(
          isTime: !values.isEmpty && values.allSatisfy(TimeText.isTime), distinct: distinct.count,
          isUnique: distinct.count == values.count,
          personal: privacy.finding(inColumn: column) ?? distinct.lazy.compactMap { privacy.finding(inCell: $0) }.first)
      )
    }
  }

  /// The columns that are left.
  var rest: [(name: String, values: Values)] { columns }

  /// Takes the column whose name is one of several words, or else contains one; an earlier word wins.
  mutating func take(named words: [String], where isFitting: (Values) -> Bool = { _ in true }) -> String? {
    let folded = columns.map { column in column.name.lowercased().filter { $0.isLetter || $0.isNumber } }
    for matches in [
      { (name: String, word: String) in name == word },
      { (name: String, word: String) in word.count > 2 && name.contains(word) },
    ] {
      for word in words {
        if let index = columns.indices.first(where: { matches(folded[$0], word) && isFitting(columns[$0].values) }) {
          return columns.remove(at: index).name
        }
      }
    }
    return nil
  }

  /// Takes the first column that fits.
  mutating func takeFirst(where isFitting: (Values) -> Bool) -> String? {
    columns.firstIndex { isFitting($0.values) }.map { columns.remove(at: $0).name }
  }

  /// Takes the column with the lowest score; the first of equal ones.
  mutating func takeMin(by score: (Values) -> Int) -> String? {
    columns.indices.min { (score(columns[$0].values), $0) < (score(columns[$1].values), $1) }.map {
      columns.remove(at: $0).name
    }
  }
}

extension PrivacyRules {
  /// Returns why a column is personal data by its name, as a clause, or nil if it is not.
  func finding(inColumn column: String) -> String? { Array(column.utf8).withUnsafeBytes { finding(inKey: $0) } }

  /// Returns why a value of a column is personal data, as a clause, or nil if it is not.
  func finding(inCell value: String) -> String? {
    Array(value.utf8).withUnsafeBytes { finding(inValue: $0) }.map { "has a value that \($0)" }
  }
}
