/// What the place a table is printed to can show.
public struct TableStyle: Hashable, Sendable {
  /// The narrowest a table gets, room for a label of 16 columns and a number of 18; a narrower terminal wraps it.
  public static let widthMin = 40
  /// The widest that may be asked for: the bars of a table do not grow any more long before.
  public static let widthMax = 1000

  /// Columns a line may take.
  public let width: Int
  /// Whether ANSI colours are wanted: only on a terminal, and not where `NO_COLOR` is set.
  public let color: Bool
  /// Whether only ASCII may stand where this program has the choice: bars of `#`, no line drawing.
  public let isPlain: Bool

  /// What a pipe or a file gets: 100 columns, no colour, ASCII.
  public static let file = TableStyle(width: 100, color: false, isPlain: true)

  public init(width: Int, color: Bool, isPlain: Bool) {
    self.width = max(width, Self.widthMin)
    self.color = color
    self.isPlain = isPlain
  }
}
