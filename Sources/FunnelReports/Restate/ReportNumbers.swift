/// The counts of a report by flow version, segment and name.
package struct ReportNumbers: Hashable, Sendable {
  /// The identity of a count: its flow version and segment, and its name.
  struct Key: Hashable {
    let row: RowKey
    let number: String
  }

  /// The counts. A number that the report lacks is absent.
  let counts: [Key: Int]
  /// The keys, in the order of the report.
  let order: [Key]
  /// The titles of the flows.
  let titles: [RowKey: String]

  /// Collects the counts of the funnel, grants and drop-off reports in a report.
  package init(of report: Report) {
    var counts: [Key: Int] = [:]
    var order: [Key] = []
    for table in DayTable.all {
      for row in table.numbers(of: report) {
        for (index, column) in table.ownColumns where column.kind == .count {
          guard let count = row.values[index].integer else { continue }
          let key = Key(row: row.key, number: table.name(of: column, part: row.part))
          if counts.updateValue(count, forKey: key) == nil { order.append(key) }
        }
      }
    }
    self.counts = counts
    self.order = order
    titles = Dictionary(
      (report[FunnelReport.self] ?? []).map { ($0.key, $0.title) }
        + (report[GrantsReport.self] ?? []).map { ($0.key, $0.title) },
      uniquingKeysWith: { first, _ in first })
  }

  // The order and the titles follow from the counts.
  package static func == (a: ReportNumbers, b: ReportNumbers) -> Bool { a.counts == b.counts }
  package func hash(into hasher: inout Hasher) { hasher.combine(counts) }
}
