import FunnelModel
package import FunnelRendering

extension TrendReport {
  /// Adds charts of the conversion and of each grant rate over time. Several segments share each chart.
  package static func addPictures(of rows: [TrendRow], in context: DocumentContext, to part: inout ReportSection) {
    let unit = rows[0].every.rawValue
    let names = rows[0].buckets.first?.permissions.map(\.name) ?? []
    let periods = TrendPeriods(of: rows)
    let marks = context.markedDays.compactMap { day in periods.mark(day).map { (day: day, mark: $0) } }
    if !marks.isEmpty {
      let days = marks.map(\.day).sorted { $0.day < $1.day }
      part.blocks.insert(.facts([Phrase("Marked days")] + days.map { Phrase("\($0.day) \($0.text)") }), at: 0)
    }
    let charts: [(title: String, rate: (TrendBucket) -> Rate?)] =
      [("Conversion by \(unit)", \.conversion)]
      + names.enumerated().map { index, name in
        ("Granted \(name), by \(unit)", { $0.grantRate(of: index) })
      }
    part.pictures = Picture.of(rows, by: context.query.by) { row in
      charts.map { chart in
        let points = row.buckets.map { bucket in periods.point(bucket, chart.rate(bucket)) }
        return .chart(
          chart.title,
          "A line through the rates of closed periods, with a band for their 95 % intervals; "
            + uncertain(context.noun),
          .series(SeriesChart(points: points, marks: marks.map(\.mark))))
      }
    } bySegment: { _ in
      // Lines need less room than bars, so there is one for each segment, in an ink of its own.
      let segments = ChartedSegments(rows, by: [], limit: rows.count)
      return charts.map { chart in
        let lines = segments.segments.map { segment in
          LinesChart.Line(
            name: segment.name, ink: segment.ink, points: periods.points(of: segment.row, chart.rate))
        }
        let axis = ShareAxis(fittingValuesOf: rows.flatMap { $0.buckets.map(chart.rate) })
        return .chart(
          chart.title + periods.unnamed(of: segments.count),
          "A line for each segment through the rates of closed periods; " + uncertain(context.noun),
          .lines(LinesChart(lines: lines, axis: axis, marks: marks.map(\.mark))))
      }
    }
  }
}

extension TrendReport {
  /// Returns a sentence part about the points that are not firm.
  private static func uncertain(_ noun: CountedNoun) -> String {
    "open periods and those of fewer than \(fewGroupsMax) \(noun.plural) have hollow dots and dotted lines"
  }
}

/// The periods of a trend's charts, which are those of all its segments.
struct TrendPeriods {
  private let starts: [CivilDate]
  private let nameOfStart: [CivilDate: String]
  private let unit: CalendarUnit

  init(of rows: [TrendRow]) {
    precondition(!rows.isEmpty, "a trend has a row")
    let buckets = rows.flatMap(\.buckets)
    nameOfStart = Dictionary(buckets.map { ($0.start, $0.name) }, uniquingKeysWith: { first, _ in first })
    starts = nameOfStart.keys.sorted()
    unit = rows[0].every
  }

  /// Returns a sentence part about the lines without a name, or an empty text if all have one.
  func unnamed(of count: Int) -> String {
    count > ChartInk.segmentCount ? ", the \(ChartInk.segmentCount) largest of \(HumanNumbers.count(count)) segments named" : ""
  }

  /// Returns a point of a chart.
  func point(_ bucket: TrendBucket, _ rate: Rate?) -> SeriesChart.Point {
    SeriesChart.Point(
      name: bucket.name, axisName: axisName(of: bucket.start), rate: rate, isOpen: !bucket.isClosed)
  }

  /// Returns a point for each period, also for those in which the segment has no bucket.
  func points(of row: TrendRow, _ rate: (TrendBucket) -> Rate?) -> [SeriesChart.Point] {
    let own = Dictionary(row.buckets.map { ($0.start, $0) }, uniquingKeysWith: { first, _ in first })
    return starts.map { start in
      own[start].map { point($0, rate($0)) }
        ?? SeriesChart.Point(name: nameOfStart[start] ?? "", axisName: axisName(of: start), rate: nil, isOpen: false)
    }
  }

  /// Returns the mark of a day, or `nil` if no period contains it.
  func mark(_ marked: MarkedDay) -> TimeMark? {
    guard let index = starts.lastIndex(where: { $0 <= marked.day }) else { return nil }
    let start = starts[index].daysSinceEpoch
    let end = unit.end(of: starts[index]).daysSinceEpoch
    guard marked.day.daysSinceEpoch < end else { return nil }
    // The middle of the day.
    let part = (Double(marked.day.daysSinceEpoch - start) + 0.5) / Double(end - start)
    return TimeMark(position: Double(index) + part, text: marked.text)
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Returns the date on the axis: the first day of a period, or its month. It has the year if the periods have several.
  private func axisName(of start: CivilDate) -> String {
    let date = start.components
    let month = Self.months[date.month - 1]
    switch unit {
    case .month: return "\(month) \(date.year)"
    case .day, .week:
      let hasYears = starts.first?.components.year != starts.last?.components.year
      return "\(date.day) \(month)" + (hasYears ? " \(date.year)" : "")
    }
  }
}

extension TrendBucket {
  /// Returns the grant rate of the permission with an index, or `nil` if the bucket has none.
  fileprivate func grantRate(of index: Int) -> Rate? { index < permissions.count ? permissions[index].grantRate : nil }
}
