package import FunnelModel
import FunnelRendering

/// A day that the charts of a trend mark: the first one of an app version, or one with an annotation.
package struct MarkedDay: Hashable, Sendable {
  package let day: CivilDate
  package let text: String
}

extension Report {
  /// The largest number of app versions of a flow whose first day is marked. The lines of more would hide the charts.
  private static let versionsMax = 20

  /// Adds the annotations of a store, and a sentence about lines that can't be read.
  package mutating func add(_ annotations: Annotations) {
    self.annotations = annotations.entries.map { MarkedDay(day: $0.day, text: $0.text) }
    let count = annotations.brokenLineCount
    guard count > 0 else { return }
    let (lines, verb) = count == 1 ? ("1 line", "was") : ("\(HumanNumbers.count(count)) lines", "were")
    pageNotes.append(
      "\(lines) of \(Annotations.fileName) \(verb) ignored, write date,text, such as 2026-11-05,new paywall")
  }

  /// Adds a sentence that says that the annotations can't be read.
  package mutating func addUnreadableAnnotations() {
    pageNotes.append("\(Annotations.fileName) can't be read, so that none of its lines is marked")
  }

  /// Adds the first day of each app version.
  ///
  /// - Parameter trend: The trend of the whole log by day and app version.
  package mutating func addFirstDays(from trend: Report) {
    for (flow, rows) in Dictionary(grouping: trend[TrendReport.self] ?? [], by: \.key.flowReference) {
      let days = rows.compactMap { row -> MarkedDay? in
        guard let version = row.key.segment.first, version != .null,
          let first = row.buckets.first(where: { $0.entered > 0 })
        else { return nil }
        return MarkedDay(day: first.start, text: "\(version.segmentLabel) first seen")
      }
      firstDays[flow] = Array(days.sorted { $0.day < $1.day }.suffix(Self.versionsMax))
    }
  }
}
