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
  }

  private var columns: [(name: String, values: Values)]

  init(_ columns: [String], records: [[String: String]]) {
    self.columns = columns.map { column in
      let values = records.compactMap { $0[column] }
      let distinct = Set(values).count
      return (
        column,
        Values(
          isTime: !values.isEmpty && values.allSatisfy(TimeText.isTime), distinct: distinct, isUnique: distinct == values.count)
      )
    }
  }

  /// The names of the columns that are left.
  var rest: [String] { columns.map(\.name) }

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
