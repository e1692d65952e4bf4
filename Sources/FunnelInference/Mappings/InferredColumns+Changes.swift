import FunnelModel

// The events of a log of changes: the new values of one field.
extension InferredColumns {
  /// The columns and records from which roles are inferred.
  struct Input {
    var columns: [String]
    var records: [[String: String]]
    var given: GivenColumns
    /// The field whose new values are the events, or `nil` if the records are no changes of fields.
    var field: ChosenField?
  }

  /// The field whose new values are the events of a log of changes, with the number of its records.
  struct ChosenField: Hashable, Sendable {
    let changes: FieldChanges
    let name: String
    /// The number of records that were examined.
    private var recordCount = 0
    /// The number of those that are changes of this field.
    private var keptCount = 0

    init(_ changes: FieldChanges, _ name: String) {
      self.changes = changes
      self.name = name
    }

    /// The condition that holds for the records of the field.
    var condition: MappingCondition {
      MappingCondition(path: ImportedPath(column: changes.fields), values: [.string(name)])
    }

    /// Counts a record, and returns whether it is a change of the field.
    mutating func keeps(_ record: [String: String]) -> Bool {
      recordCount += 1
      guard record[changes.fields] == name else { return false }
      keptCount += 1
      return true
    }

    /// Sentences about the field.
    func sentences(subject: String) -> [String] {
      let first =
        "a log of changes: the events are the new values in \(changes.newValues) of the \(Quantity.count(keptCount)) records (of \(Quantity.count(recordCount))) whose \(changes.fields) is \(name); \"when\" and \"other_events\" leave the others out"
      guard let old = changes.oldValues else { return [first] }
      return [first, "the value of each \(subject) before its first change is only in \(old), and becomes no event"]
    }
  }

  /// Returns the records that are events: all of them, or in a log of changes those of one field, named by its new values.
  ///
  /// - Throws: The problems of the columns that were given, or the fields if none is given.
  static func events(of input: Input, privacy: PrivacyRules) throws(Problem) -> Input {
    let given = input.given
    let options = [(given.subject, "--subject"), (given.timestamp, "--ts"), (given.name, "--name")]
    let unknown = options.compactMap { column, option in
      column.flatMap { input.columns.contains($0) ? nil : Problem.noColumn($0, option: option) }
    }
    guard unknown.isEmpty else { throw .all(unknown) }
    let candidates = ColumnCandidates(input.columns, records: input.records, privacy: privacy)
    do throws(Problem) {
      guard let field = try chosenField(candidates, input) else { return input }
      let events = Self.events(of: field.name, field.changes, input)
      var result = events
      result.field = field
      let values = ColumnCandidates(events.columns, records: events.records, privacy: privacy).remaining
      guard values.contains(where: { $0.name == field.changes.newValues && areStates($0.values) }) else {
        throw .noStates(field.name, field.changes)
      }
      return result
    } catch {
      guard case .severalFields(let changes) = error else { throw error }
      // The roles of the other columns do not depend on the field.
      throw .all([error] + roleProblems(of: Self.events(of: nil, changes, input), privacy: privacy))
    }
  }

  /// Returns the records of a field, or of all fields, whose names are the new values.
  private static func events(of field: String?, _ changes: FieldChanges, _ input: Input) -> Input {
    var events = input
    events.columns.removeAll { $0 == changes.fields }
    if let field { events.records.removeAll { $0[changes.fields] != field } }
    events.given.name = changes.newValues
    events.given.field = field ?? changes.fields
    return events
  }

  /// Whether values may be the states that something passes through. Amounts are as different as their records.
  private static func areStates(_ values: ColumnCandidates.Values) -> Bool {
    ColumnCandidates.mayBeName(values) && (!values.areNumbers || values.distinct * 2 <= values.count)
  }

  /// Returns the field whose new values are the events, or `nil` if the records are no changes of fields, or if another column names
  /// the events.
  ///
  /// - Throws: The fields, if there are several and none is given.
  private static func chosenField(_ candidates: ColumnCandidates, _ input: Input) throws(Problem) -> ChosenField? {
    guard let changes = FieldChanges(input.columns, candidates, records: input.records) else {
      guard let field = input.given.field else { return nil }
      throw .noFieldChanges(field)
    }
    if let field = input.given.field {
      guard changes.counts[field] != nil else { throw .noField(field, changes) }
      return ChosenField(changes, field)
    }
    if let name = input.given.name {
      guard name == changes.newValues else { return nil }
    } else if hasEventColumn(candidates) {
      return nil
    }
    guard let only = changes.onlyField else { throw .severalFields(changes) }
    return ChosenField(changes, only)
  }

  /// Whether a column names events, by its name and its values.
  private static func hasEventColumn(_ candidates: ColumnCandidates) -> Bool {
    candidates.remaining.contains { column in
      ColumnWords.sureNames.contains(ColumnCandidates.folded(column.name))
        && ColumnCandidates.haveSeveralLongNames(column.values)
    }
  }

  /// Removes the column with the IDs of what changes. The users in such a log are those who make the changes.
  static func takeChanged(from candidates: inout ColumnCandidates) -> String? {
    let words = ColumnWords.cases + ColumnWords.changed + ColumnWords.subjects.filter { !ColumnWords.changers.contains($0) }
    return candidates.take(exactly: words) { ColumnCandidates.mayBeSubject($0) && $0.personal == nil }
  }
}
