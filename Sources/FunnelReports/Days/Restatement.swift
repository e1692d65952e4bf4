/// Why a number of a day that was reported already is another one now.
///
/// The first that applies to the day and the flow is told.
public enum RestatementCause: String, Hashable, Sendable, CaseIterable {
  /// The flow's definition changed.
  case definition
  /// Subjects of the day were forgotten.
  case forgotten
  /// An ingest was undone.
  case undone
  /// Dead letters were taken in.
  case retried
  /// Events of days reported before arrived.
  case late
  /// Nothing but time has passed: groups went on, or their windows closed.
  case matured
}

/// A number of a day that was reported already and is another one now.
public struct Restatement: Hashable, Sendable {
  public let key: DayKey
  /// The number: `funnel.entered`, `step.photos.reached`.
  public let what: String
  /// The number as it was last reported; 0 if the day had no such row.
  public let before: Int
  /// The number as it is now; 0 if there is no such row any more.
  public let after: Int
}

/// What differs between the rows of a table as last reported and as they are now.
public struct DayChanges: Sendable {
  /// The rows to be written: those that are new or differ, and rows of zeros for those that vanished.
  public private(set) var rows: [DayRow] = []
  /// The numbers that were reported before and differ, in the order of their rows and columns.
  public private(set) var restatements: [Restatement] = []

  /// - Parameters:
  ///   - table: The table of the rows.
  ///   - before: The rows as last reported.
  ///   - after: The rows as they are now.
  ///   - wasReported: Returns whether a day was reported before; a row that such a day lacked counts as one of zeros.
  public init(of table: DayTable, before: [DayRow], after: [DayRow], wasReported: (DayKey) -> Bool) {
    let old = Dictionary(before.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    let new = Dictionary(after.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    for key in Set(old.keys).union(new.keys).sorted() {
      let (was, now) = (old[key], new[key] ?? Self.zeros(like: old[key], key, table))
      guard was != now else { continue }
      rows.append(now)
      guard was != nil || wasReported(key) else { continue }
      // What stands in each line of a row is restated once, by the table of the row itself.
      for (place, column) in table.ownColumns where column.kind == .count {
        let (a, b) = (was?.values[place].count ?? 0, now.values[place].count ?? 0)
        guard a != b else { continue }
        restatements.append(Restatement(key: key, what: table.name(of: column, part: key.part), before: a, after: b))
      }
    }
  }

  /// Returns the row of a day that has none any more: what is counted is 0, texts stay, and what follows from counts is not known.
  private static func zeros(like row: DayRow?, _ key: DayKey, _ table: DayTable) -> DayRow {
    DayRow(
      key: key,
      values: table.columns.enumerated().map { place, column in
        switch column.kind {
        case .count: .integer(0)
        case .text: column.name == "label" ? row?.values[place] ?? .null : .null
        case .integer:
          column.name.hasSuffix("_p50") || column.name.hasSuffix("_p90") || column.name.hasSuffix("_p99")
            ? .null : row?.values[place] ?? .null
        case .real: .null
        }
      })
  }
}
