import FunnelModel
import FunnelProjections

extension DocumentPart {
  /// Adds blocks for each row, below the name of its segment if there is one.
  mutating func append<Row: ReportRow>(eachOf rows: [Row], _ blocks: (Row) -> [DocumentBlock]) {
    for row in rows {
      if !row.key.segment.isEmpty { self.blocks.append(.facts([Phrase([.segment(row.key.segment)])])) }
      self.blocks += blocks(row)
    }
  }
}

extension Phrase {
  /// A count of something, in a sentence.
  static func count(_ count: Int, _ words: String, _ emphasis: Emphasis = .plain) -> Phrase {
    Phrase("\(HumanNumbers.count(count)) \(words)", emphasis)
  }

  /// A rate with its interval, before some words.
  static func rate(_ rate: Rate?, _ words: String) -> Phrase {
    guard let rate else { return Phrase([.absent, .text(" \(words)", .plain)]) }
    return Phrase([
      .share(rate.value, of: rate.denominator, .strong), .text(" \(words) (95 % interval ", .plain), .interval(rate),
      .text(")", .plain),
    ])
  }
}
