import FunnelImport
import FunnelModel

/// A column that may identify people beside the inferred one.
struct SubjectCandidate: Hashable, Sendable {
  let column: String
  /// The number of its distinct values in the examined records.
  let idCount: Int

  /// The column and the number of IDs: `case_id (140 ids)`.
  var text: String { "\(column) (\(Quantity.count(idCount)) ids)" }

  /// The number of columns that are told.
  private static let toldMax = 3

  /// Returns the columns without a role that may identify people, those with the most values first.
  ///
  /// - Parameters:
  ///   - columns: The columns.
  ///   - likeSubjects: Those whose names are usual for people.
  static func all(
    in columns: [(name: String, values: ColumnCandidates.Values)], likeSubjects: [String]
  ) -> [SubjectCandidate] {
    columns.filter { column in
      let isID = ColumnWords.endsOfIDs.contains(where: ColumnCandidates.folded(column.name).hasSuffix)
      // An ID that occurs once is that of a record. A few that occur all the time are those of an app or a device model.
      let isRepeated = column.values.distinct * 2 <= column.values.count && column.values.distinct > 2
      return column.values.personal == nil && ColumnCandidates.mayBeSubject(column.values)
        && (likeSubjects.contains(column.name) || isID && isRepeated)
    }
    .map { SubjectCandidate(column: $0.name, idCount: $0.values.distinct) }
    .sorted { ($1.idCount, $0.column) < ($0.idCount, $1.column) }
    .prefix(toldMax).map(\.self)
  }
}
