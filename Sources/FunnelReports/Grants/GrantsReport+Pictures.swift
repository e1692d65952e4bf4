import FunnelProjections

extension GrantsReport {
  /// Adds a chart with a bar for each permission, divided by answer.
  public static func addPictures(of rows: [GrantRow], in context: DocumentContext, to part: inout DocumentPart) {
    guard rows.count <= Picture.barsMax else { return }
    let bars = rows.filter { $0.prompted > 0 }.map { row -> BarChart.Bar in
      let answers = [
        row.granted, row.limited, row.unanswered, row.inProgress, row.skipped, row.denied,
      ].map(Double.init)
      let segment = row.key.segment.isEmpty ? Phrase("") : Phrase(" · ") + Phrase([.segment(row.key.segment)])
      let value = row.grantRate.map { rate in
        Phrase([
          .text("granted ", .plain), .share(rate.value, of: rate.denominator, .strong), .text(" (", .plain), .interval(rate),
          .text(")", .plain),
        ])
      }
      return BarChart.Bar(
        label: .init(phrase: Phrase(row.permission) + segment), lengths: answers, whole: Double(row.prompted),
        value: value ?? Phrase([.absent]))
    }
    guard !bars.isEmpty else { return }
    let parts: [BarChart.Part] = [
      .init(name: "granted", ink: .good), .init(name: "limited", ink: .partial), .init(name: "unanswered", ink: .neutral),
      .init(name: "in progress", ink: .open), .init(name: "skipped", ink: .detour), .init(name: "denied", ink: .refusal),
    ]
    part.pictures = [
      .chart(
        "Answers, of those who were asked",
        "One bar per permission, divided by answer, with the grant rate and its 95 % interval",
        .bars(BarChart(parts: parts, bars: bars)))
    ]
  }
}
