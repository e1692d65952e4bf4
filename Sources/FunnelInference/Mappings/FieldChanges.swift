import FunnelModel

/// A log of changes of fields, as CRMs and trackers keep it: each record has the name of a field and its new value.
///
/// The events of such a log are the new values of one field. Those of all fields together are no steps.
struct FieldChanges: Hashable, Sendable {
  /// The column with the names of the fields.
  let fields: String
  /// The column with the new values.
  let newValues: String
  /// The column with the old values, or `nil` if there is none.
  let oldValues: String?
  /// The number of examined records of each field.
  let counts: [String: Int]

  /// The number of fields that a column has at most. More are the texts of people.
  private static let fieldsMax = 200
  /// The number of fields that a message shows.
  private static let shownFieldsMax = 10

  /// Finds the columns of changes, or returns `nil` if the table is no such log.
  init?(_ columns: [String], _ candidates: ColumnCandidates, records: [[String: String]]) {
    func first(_ words: [String]) -> String? {
      words.lazy.compactMap { word in columns.first { Self.folded($0) == word } }.first
    }
    let old = first(ColumnWords.oldValues)
    // A new value is one for sure if its name says so, or if an old value is beside it.
    guard let new = first(ColumnWords.sureNewValues) ?? old.flatMap({ _ in first(ColumnWords.newValues) }) else { return nil }
    // Times are the ends of something, such as the stays at a property.
    guard candidates.remaining.contains(where: { $0.name == new }), InferredTimes(of: records.compactMap { $0[new] }) == nil
    else { return nil }
    let fields = candidates.remaining.first { column in
      ColumnWords.fields.contains(Self.folded(column.name)) && ColumnCandidates.mayBeName(column.values)
        && !column.values.areNumbers && column.values.distinct <= Self.fieldsMax
    }
    guard let fields else { return nil }
    self.fields = fields.name
    newValues = new
    oldValues = old
    counts = records.reduce(into: [:]) { counts, record in
      if let field = record[fields.name] { counts[field, default: 0] += 1 }
    }
  }

  /// Returns the last key of a path, in lower case and without punctuation.
  private static func folded(_ column: String) -> String {
    ColumnCandidates.folded(column.split(separator: ".").last.map(String.init) ?? column)
  }

  /// The fields, most frequent first.
  private var sorted: [(name: String, count: Int)] {
    counts.map { (name: $0.key, count: $0.value) }.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }

  /// The only field, or `nil` if there are several.
  var onlyField: String? { counts.count == 1 ? counts.keys.first : nil }

  /// The field whose values are most likely steps: a state or a stage, else the most frequent one.
  private var likelyField: String? {
    let fields = sorted.map(\.name)
    return fields.first { field in ColumnWords.statesOfFields.contains { ColumnCandidates.has(word: $0, field) } }
      ?? fields.first
  }

  /// The fields with their numbers of records: `status (4 records), assignee (1)`.
  var list: String {
    let texts = sorted.prefix(Self.shownFieldsMax).enumerated().map { index, field in
      "\(field.name) (\(field.count)\(index > 0 ? "" : field.count == 1 ? " record" : " records"))"
    }
    let others = counts.count - texts.count
    return texts.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
  }

  /// The option that names the likely field: `--field status`.
  var option: String {
    let field = likelyField ?? "NAME"
    let isWord = field.allSatisfy { $0.isLetter || $0.isNumber || "_-.".contains($0) }
    return "--field \(isWord ? field : field.quoted)"
  }
}
