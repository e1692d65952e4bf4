import FunnelImport
import FunnelModel

/// A table with one row for each ticket, deal or order, and the state that it is in now. It does not say what each went through.
struct StateTable: Hashable, Sendable {
  /// The column with an own ID in each row.
  private let column: String
  /// The column with the state.
  private let state: String
  /// The columns with times, of which each may be when something happened.
  private let times: [String]
  /// The IDs that were examined.
  private var ids: Set<String> = []

  /// The number of rows from which the IDs tell that each has one.
  private static let rowsMin = 3
  /// The number of IDs that are kept to find one with several rows.
  private static let idsMax = 1 << 20
  /// Words in the names of columns with the states of something.
  private static let states = ["status", "state", "stage", "stagename", "dealstage", "lifecyclestage", "phase"]
  /// Nouns of columns with the things that have a state. A log of their histories has several rows for each.
  private static let things: Set<String> = [
    "ticket", "case", "deal", "order", "opportunity", "incident", "issue", "claim", "shipment", "invoice", "loan",
    "application", "lead", "booking", "reservation", "subscription", "contract", "request", "quote",
  ]
  /// Parts of the names of columns with the times at which something was over. A row of a history has none.
  private static let ends = [
    "closed", "resolved", "solved", "completed", "finished", "cancelled", "canceled", "delivered", "paid",
  ]
  /// Parts of the names of columns with the times at which something began.
  private static let starts = ["created", "opened", "createdate", "opendate", "submitted"]

  /// Examines a table whose roles are known.
  ///
  /// - Parameters:
  ///   - roles: The columns of the roles.
  ///   - isNameGiven: Whether the user has named the column of the event names. Only an own row of each subject speaks against it.
  ///   - times: The columns with times.
  ///   - columns: The columns without a role.
  /// - Returns: `nil` if the rows may be those of a history.
  init?(
    _ roles: InferredColumns.Roles, isNameGiven: Bool, times: [String],
    beside columns: [(name: String, values: ColumnCandidates.Values)], _ records: [[String: String]]
  ) {
    guard Self.isState(roles.name), Set(records.compactMap { $0[roles.name] }).count > 1 else { return nil }
    let ofOrders = roles.id.flatMap { Self.hasEnds(times, of: roles.subject, records) ? $0 : nil }
    let row = isNameGiven ? nil : Self.thing(in: columns, records) ?? ofOrders
    guard let column = Self.areUnique(roles.subject, records) ? roles.subject : row else { return nil }
    self.init(column, state: roles.name, times: times, records)
  }

  /// Examines a table of which no column identifies people, or names events.
  ///
  /// - Parameter columns: The columns without a role.
  init?(of columns: [(name: String, values: ColumnCandidates.Values)], times: [String], _ records: [[String: String]]) {
    let state = columns.first { Self.isState($0.name) && ColumnCandidates.haveSeveralNames($0.values) }
    guard let state, let column = Self.thing(in: columns, records) else { return nil }
    self.init(column, state: state.name, times: times, records)
  }

  private init?(_ column: String, state: String, times: [String], _ records: [[String: String]]) {
    guard records.count >= Self.rowsMin else { return nil }
    self.column = column
    self.state = state
    self.times = times
  }

  /// Whether the name of a column says that its values are the states of something.
  private static func isState(_ column: String) -> Bool { states.contains { ColumnCandidates.has(word: $0, column) } }

  /// Returns the column with an own ID of a thing in each row, or `nil` if there is none.
  private static func thing(
    in columns: [(name: String, values: ColumnCandidates.Values)], _ records: [[String: String]]
  ) -> String? {
    columns.first { $0.values.areUnique && $0.values.count == records.count && isThing($0.name) }?.name
  }

  /// Whether each record has an own value in a column.
  private static func areUnique(_ column: String, _ records: [[String: String]]) -> Bool {
    let values = records.compactMap { $0[column] }
    return values.count == records.count && Set(values).count == values.count
  }

  /// Whether the name of a column says that its values are IDs of things that have a state.
  private static func isThing(_ column: String) -> Bool {
    let words = String(decoding: NameFolding.fold(Array(column.utf8).span), as: UTF8.self).split(separator: "_").map(
      String.init)
    guard let last = words.last else { return false }
    if things.contains(last) { return true }
    if words.count > 1, ColumnWords.endsOfIDs.contains(last) { return things.contains(words[words.count - 2]) }
    return things.contains { thing in ColumnWords.endsOfIDs.contains { last == thing + $0 } }
  }

  /// Whether rows of people have a time at which something began, and one at which it was over that some of them lack.
  private static func hasEnds(_ times: [String], of subject: String, _ records: [[String: String]]) -> Bool {
    func has(_ parts: [String], _ column: String) -> Bool { parts.contains(where: ColumnCandidates.folded(column).contains) }
    return !isThing(subject) && times.contains { has(starts, $0) }
      && times.contains { time in has(ends, time) && !has(starts, time) && records.contains { $0[time] == nil } }
  }

  /// Examines one more record, and returns whether its ID has no other one.
  mutating func examine(_ record: [String: String]) -> Bool {
    guard let id = record[column], ids.count < Self.idsMax else { return true }
    return ids.insert(id).inserted
  }

  /// The table as a clause, and what solves it.
  var text: (clause: String, solution: String) {
    let rows =
      times.count > 1
      ? ", or, if the times in \(times.joined(separator: ", ")) are its steps, write a row for each of them (UNPIVOT in DuckDB)"
      : ""
    return (
      "each \(column) has one row, so \(state) says where it is now and not what it went through, and no funnel can be made of it",
      "export the history of the changes of \(state)\(rows)"
    )
  }

  /// The decision that the user has to make, as a clause.
  var decision: String { "\(text.clause): \(text.solution)" }
}
