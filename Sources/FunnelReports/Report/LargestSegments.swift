import FunnelModel
import FunnelRendering

/// The segments that a page shows of a flow version with too many of them.
struct LargestSegments {
  /// The largest number of segments on a page. More can't be compared, and would make pages of many megabytes.
  private static let segmentsMax = 40

  private let segments: Set<[PropertyValue]>
  private let count: Int

  /// Selects the largest segments of some reports, or returns `nil` if a page has room for all.
  init?(of answers: [any AnyReportRows]) {
    var sizes: [[PropertyValue]: Int] = [:]
    for answer in answers { sizes.merge(answer.segmentSizes, uniquingKeysWith: max) }
    guard sizes.count > Self.segmentsMax else { return nil }
    count = sizes.count
    // Segments of one size are sorted by their names, so that a page does not depend on the order of a dictionary.
    let sorted = sizes.map { (segment: $0.key, size: $0.value, name: Phrase([.segment($0.key)]).plainText) }
      .sorted { (-$0.size, $0.name) < (-$1.size, $1.name) }
    segments = Set(sorted.prefix(Self.segmentsMax).map(\.segment))
  }

  /// Returns the rows of the largest segments, without reports that have none.
  func rows(of answers: [any AnyReportRows]) -> [any AnyReportRows] {
    answers.map { $0.keeping(segments) }.filter { $0.count > 0 }
  }

  /// A sentence about the segments that are left out, without a full stop.
  var note: String {
    "The \(Self.segmentsMax) largest of \(HumanNumbers.count(count)) segments are shown; CSV and JSON have all"
  }
}
