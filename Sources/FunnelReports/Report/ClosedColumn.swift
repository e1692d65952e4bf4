import FunnelModel
import FunnelRendering

extension DocumentBlock {
  /// The definition of open and closed windows. A document shows it once, below the first table that needs it.
  static var closedExplanation: DocumentBlock { .explanation(windowsText) }

  /// The definition, in the same words for every report.
  private static let windowsText =
    "Closed: the conversion window is over, so only late events can change the result. Open: the window is not over yet"

  /// Whether the block is ``closedExplanation``.
  var explainsWindows: Bool {
    if case .explanation(Self.windowsText) = self { true } else { false }
  }
}

extension TableColumn {
  /// Returns the columns of the rate of closed groups: the rate with the number of groups and, in the long
  /// layout, its interval.
  static func closed(
    in layout: DocumentLayout, _ closed: @escaping (Line) -> (rate: Rate?, groups: Int)?
  ) -> [TableColumn] {
    let rate = TableColumn(ColumnTitle("Closed")) { line in
      closed(line).map { .rateOfGroups($0.rate, groups: $0.groups) } ?? .empty
    }
    return layout == .compact ? [rate] : [rate, .interval(priority: .essential) { closed($0)?.rate }]
  }
}
