/// The dated remarks of a store, such as campaigns and releases, which charts over time mark.
///
/// The list has a line `date,text` for each remark. The text may be in double quotes. Blank lines, lines that begin with `#`,
/// and a first line with the names of the columns are ignored:
///
///     date,text
///     2026-11-05,the paywall moved to the end
///     2026-11-12,"campaign in France, Belgium"
package struct Annotations: Hashable, Sendable {
  /// A remark.
  package struct Entry: Hashable, Sendable {
    package let day: CivilDate
    package let text: String
  }

  /// The name of the list's file in the store's folder.
  package static let fileName = "annotations.csv"
  private static let header = "date,text"

  /// The remarks in the order of their days.
  package let entries: [Entry]
  /// The number of lines that are no remark.
  package let brokenLineCount: Int

  /// Parses the text of a list.
  package init(_ text: String) {
    let lines = ValueList.lines(of: text).filter { !$0.hasPrefix("#") }
    let remarks = lines.first?.lowercased() == Self.header ? lines.dropFirst() : lines[...]
    let parsed = remarks.compactMap(Self.entry)
    brokenLineCount = remarks.count - parsed.count
    // Remarks on one day stay in the order of the lines.
    entries = parsed.enumerated().sorted { ($0.element.day, $0.offset) < ($1.element.day, $1.offset) }.map(\.element)
  }

  private static func entry(_ line: String) -> Entry? {
    guard let comma = line.firstIndex(of: ","), let day = CivilDate(String(line[..<comma]).withoutOuterBlanks),
      let text = text(String(line[line.index(after: comma)...]).withoutOuterBlanks), !text.isEmpty
    else { return nil }
    return Entry(day: day, text: text)
  }

  /// Returns a field without its quotes (RFC 4180), or `nil` if they are not closed.
  private static func text(_ field: String) -> String? {
    let quote: Character = "\""
    guard field.first == quote else { return field }
    let inner = field.dropFirst().dropLast()
    guard field.count > 1, field.last == quote, !inner.replacing("\"\"", with: "").contains(quote) else { return nil }
    return String(inner.replacing("\"\"", with: "\"")).withoutOuterBlanks
  }
}
