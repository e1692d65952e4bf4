/// A row of bars in one line of text, one character a value.
enum Sparkline {
  private static let bars: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// Returns a bar for each value as a part of the largest; a value that is absent is a blank.
  static func text(_ values: [Double?]) -> String {
    let largest = values.compactMap { $0 }.max() ?? 0
    return String(
      values.map { value -> Character in
        guard let value else { return " " }
        guard largest > 0 else { return bars[0] }
        return bars[min(bars.count - 1, Int((value / largest * Double(bars.count - 1)).rounded()))]
      })
  }
}
