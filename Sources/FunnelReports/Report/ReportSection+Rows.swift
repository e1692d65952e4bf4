import FunnelModel
import FunnelRendering

extension ReportSection {
  /// Creates an empty section for a named report.
  init(_ report: any RowReport.Type) {
    self.init(name: report.name, heading: report.heading)
  }

  /// Appends blocks for each row, below the name of its segment if it has one.
  mutating func append<Row: ReportRow>(eachOf rows: [Row], _ blocks: (Row) -> [DocumentBlock]) {
    for row in rows {
      self.blocks += row.segmentHeading + blocks(row)
    }
  }

  /// Appends the table of the rows, with sentences about each row.
  ///
  /// A compact layout has a table for each segment, between the row's facts and its details. A long layout has one
  /// table of all segments, which includes the facts, and the details below it.
  mutating func append<Row: ReportRow>(
    _ rows: [Row], in layout: DocumentLayout, facts: (Row) -> [DocumentBlock] = { _ in [] },
    details: (Row) -> [DocumentBlock] = { _ in [] }, table: ([Row]) -> DocumentTable
  ) {
    precondition(!rows.isEmpty, "a document has rows")
    switch layout {
    case .compact: append(eachOf: rows) { row in facts(row) + [.table(table([row]))] + details(row) }
    case .long: blocks += [.table(table(rows))] + rows.flatMap(details)
    }
  }

  /// Appends sentences that explain the numbers. They have no full stop.
  mutating func explain(_ sentences: String...) { blocks += sentences.map { .explanation($0) } }
}

extension ReportRow {
  /// The name of the row's segment above its blocks. Empty if the query has no dimensions.
  var segmentHeading: [DocumentBlock] { key.segment.isEmpty ? [] : [.facts([Phrase([.segment(key.segment)])])] }
}

extension Phrase.Part {
  /// Returns the share of a rate.
  static func rate(_ rate: Rate, _ emphasis: Emphasis) -> Phrase.Part {
    .share(rate.value, of: rate.denominator, emphasis)
  }
}

extension String {
  /// The text with a capital first letter.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension DocumentTable {
  /// Creates a table with the lines of each row.
  init<Row: ReportRow, Line>(_ columns: [TableColumn<Line>], of rows: [Row], lines: (Row) -> [Line]) {
    self.init(columns, rows: rows.flatMap { row in lines(row).map { (row.key.segment, $0) } })
  }

  /// Creates a table with a line for each row.
  init<Row: ReportRow>(_ columns: [TableColumn<Row>], of rows: [Row]) { self.init(columns, of: rows) { [$0] } }
}

extension Picture {
  /// Returns the pictures of a single row, below the name of its segment if it has one, or those that compare several rows.
  ///
  /// - Parameter dimensions: The dimensions of the segments.
  static func of<Row: ReportRow>(
    _ rows: [Row], by dimensions: [Dimension], single: (Row) -> [Picture], bySegment: (ChartedSegments<Row>) -> [Picture]
  ) -> [Picture] {
    guard rows.count == 1 else { return rows.isEmpty ? [] : bySegment(ChartedSegments(rows, by: dimensions)) }
    let own = single(rows[0])
    return rows[0].key.segment.isEmpty || own.isEmpty ? own : [.segment(rows[0].key.segment)] + own
  }
}
