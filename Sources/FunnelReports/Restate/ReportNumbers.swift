/// The counts of a report, each by its flow version, its segment and its name.
public struct ReportNumbers: Hashable, Sendable {
  struct Key: Hashable {
    let row: RowKey
    let number: String
  }

  let counts: [Key: Int]
  /// The keys, in the order of the report.
  let order: [Key]
  let titles: [RowKey: String]

  /// Reads the counts of the funnel, the grants and the drop-off that a report has.
  public init(of report: Report) {
    var counts: [Key: Int] = [:]
    var order: [Key] = []
    for table in DayTable.all {
      for row in table.numbers(of: report) {
        for (place, column) in table.ownColumns where column.kind == .count {
          guard let count = row.values[place].count else { continue }
          let key = Key(row: row.key, number: table.name(of: column, part: row.part))
          if counts.updateValue(count, forKey: key) == nil { order.append(key) }
        }
      }
    }
    (self.counts, self.order) = (counts, order)
    titles = Dictionary(
      (report[FunnelReport.self] ?? []).map { ($0.key, $0.title) }
        + (report[GrantsReport.self] ?? []).map { ($0.key, $0.title) },
      uniquingKeysWith: { first, _ in first })
  }

  public static func == (a: ReportNumbers, b: ReportNumbers) -> Bool { a.counts == b.counts }
  public func hash(into hasher: inout Hasher) { hasher.combine(counts) }
}
