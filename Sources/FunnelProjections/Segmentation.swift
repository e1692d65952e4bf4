import FunnelJourneys
import FunnelModel

/// Which segment of a query a group falls into.
struct Segmentation: Sendable {
  /// Whether all groups fall into one segment, without condition.
  let isWhole: Bool
  private let query: ReportQuery
  private let whole = Segment(values: [])

  init(query: ReportQuery) {
    self.query = query
    isWhole = query.by.isEmpty && query.conditions.isEmpty
  }

  /// The segment of a group by one of its events, or nil where a condition does not hold there.
  @inline(__always)
  func segment(of journey: Journey, at index: Int) -> Segment? {
    isWhole ? whole : journey.segment(at: journey.events[index], for: query)
  }
}
