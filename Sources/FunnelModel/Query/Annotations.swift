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

  /// The remarks in the order of their days.
  package let entries: [Entry]
  /// The number of lines that are no remark.
  package let brokenLineCount: Int

  /// Parses the text of a list.
  package init(_ text: String) {
    let list = ValueList.pairs(of: text, header: ("date", "text"))
    let entries = list.pairs.compactMap { pair in CivilDate(pair.first).map { Entry(day: $0, text: pair.second) } }
    brokenLineCount = list.brokenLineCount + list.pairs.count - entries.count
    // Remarks on one day stay in the order of the lines.
    self.entries = entries.enumerated().sorted { ($0.element.day, $0.offset) < ($1.element.day, $1.offset) }.map(\.element)
  }
}
