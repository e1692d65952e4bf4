/// The reason for a change of a number that was already reported.
///
/// The first case that applies to the day and the flow is reported.
package enum RestatementCause: String, Hashable, Sendable, CaseIterable {
  /// The flow's definition changed.
  case definition
  /// Subjects of the day were forgotten.
  case forgotten
  /// An ingest was undone.
  case undone
  /// Dead letters were ingested.
  case retried
  /// An event not of the day gave its events another person.
  case linked
  /// Late events of the day arrived.
  case late
  /// Only time passed: groups progressed, or their windows closed.
  case matured
}

/// A change of a number that was already reported.
package struct Restatement: Hashable, Sendable {
  package let key: DayKey
  /// The name of the number: `funnel.entered`, `step.photos.reached`.
  package let what: String
  /// The number as last reported, or 0 if the day had no such row.
  package let before: Int
  /// The current number, or 0 if there is no such row anymore.
  package let after: Int
}

/// The differences between the last reported and the current rows of a table.
package struct DayChanges: Sendable {
  /// The rows to write: new and changed ones, and rows of zeros for those that no longer exist.
  package private(set) var rows: [DayRow] = []
  /// The changes of reported numbers, in the order of rows and columns.
  package private(set) var restatements: [Restatement] = []

  /// Compares the rows of a table.
  ///
  /// - Parameters:
  ///   - table: The table of the rows.
  ///   - before: The rows as last reported.
  ///   - after: The current rows.
  ///   - wasReported: Returns whether a day was reported before. A missing row of such a day counts as zeros.
  package init(of table: DayTable, before: [DayRow], after: [DayRow], wasReported: (DayKey) -> Bool) {
    precondition(
      (before + after).allSatisfy { $0.values.count == table.columns.count }, "a row has a value for each column")
    let old = Dictionary(before.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    let new = Dictionary(after.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    for key in Set(old.keys).union(new.keys).sorted() {
      let was = old[key]
      let now = new[key] ?? Self.zeros(like: was, key, table)
      guard was != now else { continue }
      rows.append(now)
      guard was != nil || wasReported(key) else { continue }
      // Repeated columns of a row are restated once, by the table of the row itself.
      for (index, column) in table.ownColumns where column.kind == .count {
        let before = was?.values[index].integer ?? 0
        let after = now.values[index].integer ?? 0
        guard before != after else { continue }
        restatements.append(
          Restatement(key: key, what: table.name(of: column, part: key.part), before: before, after: after))
      }
    }
  }

  /// Returns a row for a day that no longer has one: counts are 0, labels and settings are unchanged, derived
  /// numbers are null.
  private static func zeros(like row: DayRow?, _ key: DayKey, _ table: DayTable) -> DayRow {
    DayRow(
      key: key,
      values: table.columns.enumerated().map { index, column in
        switch column.kind {
        case .count: .integer(0)
        case .text: column.name == "label" ? row?.values[index] ?? .null : .null
        case .integer: row?.values[index] ?? .null
        case .quantile, .real: .null
        }
      })
  }
}
