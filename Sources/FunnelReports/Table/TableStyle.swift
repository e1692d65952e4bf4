/// The capabilities of the output that a table is printed to.
public struct TableStyle: Hashable, Sendable {
  /// The minimum width of a table, enough for a label of 16 columns and a number of 18. A narrower terminal
  /// wraps the lines.
  public static let widthMin = 40
  /// The maximum width that users can request. Bars reach their full length at a much smaller width.
  public static let widthMax = 1000

  /// The maximum width of a line, in columns.
  public let width: Int
  /// Whether to use ANSI colors: only on a terminal, and only if `NO_COLOR` is not set.
  public let color: Bool
  /// Whether bars and rules are limited to ASCII.
  public let isPlain: Bool

  /// The style for a pipe or a file: 100 columns, no color, ASCII.
  public static let file = TableStyle(width: 100, color: false, isPlain: true)

  public init(width: Int, color: Bool, isPlain: Bool) {
    self.width = max(width, Self.widthMin)
    self.color = color
    self.isPlain = isPlain
  }
}
