package import FunnelModel

/// A share for each pair of a label and a segment. A renderer may transpose the matrix to fit it into fewer blocks.
package struct DocumentMatrix {
  /// The cells of one segment.
  package struct Column {
    let segment: [PropertyValue]
    /// A cell for each label.
    let cells: [DocumentCell]

    package init(segment: [PropertyValue], cells: [DocumentCell]) {
      self.segment = segment
      self.cells = cells
    }
  }

  let title: String
  let labels: [Phrase]
  /// The columns, each with as many cells as there are labels.
  let columns: [Column]

  /// Creates a matrix. Columns are padded or cut to the number of labels.
  package init(title: String, labels: [Phrase], columns: [Column]) {
    self.title = title
    self.labels = labels
    self.columns = columns.map { column in
      let padding = repeatElement(DocumentCell.empty, count: max(labels.count - column.cells.count, 0))
      return Column(segment: column.segment, cells: Array((column.cells + padding).prefix(labels.count)))
    }
  }
}
