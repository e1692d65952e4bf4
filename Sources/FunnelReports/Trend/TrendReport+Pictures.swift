import FunnelModel
import FunnelProjections

extension TrendReport {
  /// Adds charts of the conversion and of each grant rate over time.
  public static func addPictures(of rows: [TrendRow], in context: DocumentContext, to part: inout DocumentPart) {
    // The charts of all segments have the same scale, which makes them comparable.
    let conversionTop = SeriesChart.top(of: rows.flatMap { $0.buckets.map(\.conversion) })
    let grantTop = SeriesChart.top(of: rows.flatMap { $0.buckets.flatMap { $0.permissions.map(\.grantRate) } })
    part.pictures = Picture.each(of: rows) { row in
      let unit = row.every.rawValue
      let conversion = chart("Conversion by \(unit)", row.buckets.map { ($0, $0.conversion) }, top: conversionTop)
      let names = row.buckets.first?.permissions.map(\.name) ?? []
      let grants = names.enumerated().map { index, name in
        chart("Granted \(name), by \(unit)", row.buckets.map { ($0, $0.permissions[index].grantRate) }, top: grantTop)
      }
      return [conversion] + grants
    }
  }

  private static func chart(_ title: String, _ rates: [(bucket: TrendBucket, rate: Rate?)], top: Double) -> Picture {
    .chart(
      title, "A line through the rates of closed periods, with a band for their 95 % intervals; open periods are dotted",
      .series(
        SeriesChart(
          points: rates.map { .init(name: $0.bucket.name, rate: $0.rate, isOpen: !$0.bucket.isClosed) }, top: top)))
  }
}
