import FunnelProjections

extension AccessReport {
  /// Adds a bar for each permission, divided by access, and sentences about the groups that are locked out.
  public static func addPictures(of rows: [AccessRow], in context: DocumentContext, to part: inout DocumentPart) {
    part.pictures = Picture.each(of: rows) { row in
      var seen: Set<String> = []
      let permissions = row.features.map(\.answers).filter { seen.insert($0.permission).inserted }
      guard !permissions.isEmpty, row.entered > 0 else { return [] }
      let bars = permissions.map { answers in
        let value = answers.openShare.map { rate in
          Phrase([.text("open to ", .plain), .share(rate.value, of: rate.denominator, .strong)])
        }
        return BarChart.Bar(
          label: .init(phrase: Phrase(answers.permission)),
          lengths: [answers.granted, answers.limited, answers.undecided, answers.skipped, answers.denied].map(Double.init),
          whole: Double(answers.entered), value: value ?? Phrase([.absent]))
      }
      let parts: [BarChart.Part] = [
        .init(name: "open", ink: .good), .init(name: "limited", ink: .partial), .init(name: "undecided", ink: .open),
        .init(name: "skipped, can be asked again", ink: .detour), .init(name: "denied, only in Settings", ink: .refusal),
      ]
      return lockedOut(of: row).map { .statement($0) } + [
        .chart(
          "Access, of those who entered",
          "One bar per permission, divided into the \(context.noun.who) have access, are undecided or are locked out",
          .bars(BarChart(parts: parts, bars: bars)))
      ]
    }
  }
}
