import FunnelModel

/// What a query asks of segments.
struct SegmentQuestion: Sendable {
  let query: ReportQuery
  /// Whether all groups fall into one segment, without condition.
  let isWhole: Bool
  /// Whether segments or conditions depend on the day.
  let asksForDays: Bool

  init(query: ReportQuery) {
    self.query = query
    isWhole = query.by.isEmpty && query.conditions.isEmpty
    asksForDays = (query.by + query.conditions.map(\.dimension)).contains { dimension in
      switch dimension {
      case .day, .week, .month: true
      case .property, .context, .version, .step: false
      }
    }
  }
}
