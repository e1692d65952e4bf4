/// The label and the value of a row of a chart, above the row's shape.
struct RowHeading {
  let label: String
  /// The distance of the label from the left edge, in pixels.
  var indent = 0.0
  let value: String
  var valueRole = ChartText.Role.value

  /// The height of a line, in pixels.
  static let lineHeight = 18.0
  /// The minimum distance between a label and a value in the same line, in pixels.
  private static let valueSpacing = 12.0

  /// Whether the value has no room beside the label on a narrow page.
  ///
  /// If one row of a chart needs two lines, all rows have two, so that their values are aligned.
  var needsTwoLines: Bool {
    ChartDrawing.width(of: label) + indent + ChartDrawing.width(of: value) + Self.valueSpacing > ChartDrawing.widthMin
  }

  /// Returns the marks of the texts.
  ///
  /// - Parameters:
  ///   - baseline: The baseline of the first line.
  ///   - isStacked: Whether there is room for two lines. A narrow page uses both of them. On a wide page, the value
  ///     fits beside the label, and both are in the second line.
  func marks(baseline: Double, isStacked: Bool) -> [ChartMark] {
    let last = baseline + (isStacked ? Self.lineHeight : 0)
    return ChartDrawing.texts { pageWidth in
      let isStacked = isStacked && pageWidth == ChartDrawing.widthMin
      let room = pageWidth - indent - (isStacked ? 0 : ChartDrawing.width(of: value) + Self.valueSpacing)
      return [
        ChartText(
          text: ChartDrawing.fitted(label, to: room), x: 0, y: isStacked ? last - Self.lineHeight : last, dx: indent,
          role: .label),
        ChartText(
          text: value, x: isStacked ? 0 : 100, y: last, dx: isStacked ? indent : 0, anchor: isStacked ? .start : .end,
          role: valueRole),
      ]
    }
  }
}
