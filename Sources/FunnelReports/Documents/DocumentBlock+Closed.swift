import FunnelProjections

/// Whether so many groups are in progress that a rate is not final: then the rate of the closed groups is shown beside it.
enum ManyInProgress {
  /// The divisor of the threshold. A tenth of the groups can move a rate by at most ten points; more than a tenth is told.
  private static let partMax = 10

  static func holds(_ inProgress: Int, of groups: Int) -> Bool { inProgress > groups / partMax }
}

extension DocumentBlock {
  /// Explains what an open and a closed window are. A document shows it once, below the first table that needs it.
  static var closedExplanation: DocumentBlock { .explanation(windowsText) }

  /// What open and closed mean, in the words of every report.
  private static let windowsText =
    "Closed: the conversion window is over, so only late events can change the result. Open: the window is not over yet"

  /// Whether the block is ``closedExplanation``.
  var explainsWindows: Bool {
    if case .explanation(Self.windowsText) = self { true } else { false }
  }
}

extension TableColumn {
  /// Returns the columns of the closed groups' rate: with the number of groups and, in the long layout, with its interval.
  static func closed(
    in layout: DocumentLayout, _ closed: @escaping (Line) -> (rate: Rate?, groups: Int)?
  ) -> [TableColumn] {
    let rate = TableColumn(ColumnTitle("Closed")) { line in
      closed(line).map { .rateOfGroups($0.rate, groups: $0.groups) } ?? .empty
    }
    return layout == .compact ? [rate] : [rate, .interval(rank: 0) { closed($0)?.rate }]
  }
}
