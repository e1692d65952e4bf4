import FunnelModel

/// How wide the columns of a table are, in characters, for a page that can't scroll: paper.
struct TableWidths {
  /// The width of a line of A4 with margins of 10 mm, at the size in which pages print tables.
  static let lineMax = 116.0
  /// The space between two columns.
  private static let gap = 1.5
  /// The width from which labels and lists of items break into several lines.
  private static let (labelMax, itemsMax) = (24.0, 30.0)
  /// The share of a line that the labels of the rows may take up.
  private static let labelsPart = 0.4

  /// The width of the columns that every part of the table begins with.
  let labels: Double
  /// The width of each of the other columns.
  let columns: [Double]

  /// - Parameters:
  ///   - labels: The texts of each column with labels, its title first.
  ///   - columns: The texts of each other column, its title first, and whether it has items.
  init(labels: [[String]], columns: [(texts: [String], hasItems: Bool)]) {
    let widths = labels.map { min(Self.width(of: $0), Self.labelMax) + Self.gap }
    self.labels = min(widths.reduce(0, +), Self.lineMax * Self.labelsPart)
    self.columns = columns.map { column in
      let width = Self.width(of: column.texts)
      return (column.hasItems ? min(width, Self.itemsMax) : width) + Self.gap
    }
  }

  /// Returns the width of a column: a title breaks between words, its cells do not.
  private static func width(of texts: [String]) -> Double {
    let title = texts.first?.split(separator: " ").map { displayWidth(of: $0) }.max() ?? 0
    return Double(max(title, texts.dropFirst().map { displayWidth(of: $0) }.max() ?? 0))
  }

  private static func displayWidth(of text: some StringProtocol) -> Int { text.reduce(0) { $0 + $1.displayWidth } }

  /// Returns the columns of each part of the table, so that every part fits on paper. A table that fits has one part.
  ///
  /// - Parameter followsPrevious: Whether a column should stand beside the one before it, such as an interval beside its rate.
  func parts(followsPrevious: (Int) -> Bool) -> [Range<Int>] {
    let room = Self.lineMax - labels
    var parts: [Range<Int>] = []
    var start = 0
    while start < columns.count {
      var end = start + 1
      var width = columns[start]
      while end < columns.count, width + columns[end] <= room {
        width += columns[end]
        end += 1
      }
      // What belongs together goes to the next part together, unless nothing would be left of this one.
      if end < columns.count {
        let cut = (start + 1...end).last { !followsPrevious($0) }
        if let cut { end = cut }
      }
      parts.append(start..<end)
      start = end
    }
    return parts.isEmpty ? [0..<0] : parts
  }
}

extension ColumnTitle {
  /// The title of a column that begins a part of a table, without the columns that make it clear.
  var asFirst: String { alone.isEmpty ? text : alone.joined(separator: " ") }
}
