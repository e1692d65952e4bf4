import FunnelModel
import FunnelRendering

extension GrantsReport {
  /// Returns a chart with the share of each segment that granted each permission.
  static func segmentChart(of rows: [GrantRow], by dimensions: [Dimension]) -> [Picture] {
    let permissions = rows.map(\.permission).unique { $0 }
    // A segment has a row for each permission. The largest of them says how large the segment is.
    let largest = Dictionary(grouping: rows, by: \.key.segment).mapValues { rows in rows.max { $0.groups < $1.groups } }
    let order = rows.map(\.key.segment).unique { $0 }
    let segments = ChartedSegments(order.compactMap { largest[$0] ?? nil }, by: dimensions)
    return segments.chart(
      "Granted, of those who were asked",
      "A bar for each permission and segment, showing the grant rate with its 95 % interval", labels: permissions
    ) { index, segment in
      let row = rows.first { $0.key.segment == segment.row.key.segment && $0.permission == permissions[index] }
      guard let row, row.prompted > 0 else { return nil }
      return segment.bar(
        row.granted, of: row.prompted, interval: row.grantRateWithInterval,
        people: (.permission(row.permission, GroupState.granted.rawValue), "granted"))
    }
  }
}
