import FunnelModel

/// A column that marks records which may have to be left out, such as deleted or test ones. They are events like all others.
struct VoidedRecords: Hashable, Sendable {
  /// The column with the marks.
  private let column: String
  /// The mark, as in the input.
  private let mark: String
  /// The number of records with the mark, and of all records that were examined.
  private let markedCount: Int
  private let recordCount: Int

  /// Words in the names of such columns.
  private static let words = [
    "deleted", "removed", "void", "voided", "test", "bot", "internal", "duplicate", "invalid", "spam",
  ]
  /// Marks, in lower case.
  private static let marks: Set<String> = ["true", "t", "1", "yes", "y"]
  /// Values of records without the mark, in lower case.
  private static let others: Set<String> = ["false", "f", "0", "no", "n"]

  /// Finds the first such column of which all values are marks or their opposites, and some are marks.
  ///
  /// - Parameter columns: The names of the columns without a role.
  init?(in columns: [String], _ records: [[String: String]]) {
    for column in columns where Self.words.contains(where: { ColumnCandidates.has(word: $0, column) }) {
      let values = records.compactMap { $0[column] }
      let marked = values.filter { Self.marks.contains($0.lowercased()) }
      guard let mark = marked.first, values.allSatisfy({ Self.marks.union(Self.others).contains($0.lowercased()) }) else {
        continue
      }
      self.column = column
      self.mark = mark
      markedCount = marked.count
      recordCount = records.count
      return
    }
    return nil
  }

  /// The sentence on the marked records.
  var sentence: String {
    "\(column) is \(mark) in \(Quantity.count(markedCount)) of the first \(Quantity.count(recordCount)) records, and these count "
      + "like all others: take them out of the input if they should not"
  }
}
