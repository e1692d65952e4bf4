import FunnelModel

/// The widths of the columns of a table in characters, which divide it into parts that fit on paper.
struct TableWidths {
  /// The width of a line of A4 with margins of 10 mm, at the size in which pages print tables.
  static let lineMax = 116.0
  /// The space between two columns.
  private static let gap = 1.5
  /// The maximum width of a label. Longer labels wrap.
  private static let labelMax = 24.0
  /// The maximum width of a list of items. Longer lists wrap.
  private static let itemsMax = 30.0
  /// The maximum share of a line that the labels of the rows occupy.
  private static let labelsPart = 0.4

  /// The width of the label columns, which are repeated in every part of the table.
  let labels: Double
  /// The width of each of the other columns.
  let columns: [Double]

  /// Measures the columns of a table.
  ///
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

  /// Returns the width of a column. A title wraps between words, cells do not wrap.
  private static func width(of texts: [String]) -> Double {
    precondition(!texts.isEmpty, "a column has a title")
    let title = texts[0].split(separator: " ").map { displayWidth(of: $0) }.max() ?? 0
    return Double(max(title, texts.dropFirst().map { displayWidth(of: $0) }.max() ?? 0))
  }

  private static func displayWidth(of text: some StringProtocol) -> Int { text.reduce(0) { $0 + $1.displayWidth } }

  /// Returns the range of columns in each part of the table. Each part fits on paper unless it is a single wide
  /// column.
  ///
  /// - Parameter followsPrevious: Returns whether a column should stay beside the one before it, such as an
  ///   interval beside its rate.
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
      // Move related columns to the next part together, unless this part would be empty.
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
  /// The title of a column that begins a part of a table, apart from the columns that give it context.
  var asFirst: String { alone.isEmpty ? text : alone.joined(separator: " ") }
}
