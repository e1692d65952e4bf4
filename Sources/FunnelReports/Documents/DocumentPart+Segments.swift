import FunnelModel
import FunnelProjections

extension DocumentPart {
  /// Appends blocks for each row, below the name of its segment if it has one.
  mutating func append<Row: ReportRow>(eachOf rows: [Row], _ blocks: (Row) -> [DocumentBlock]) {
    for row in rows {
      if !row.key.segment.isEmpty { self.blocks.append(.facts([Phrase([.segment(row.key.segment)])])) }
      self.blocks += blocks(row)
    }
  }
}

extension Phrase {
  /// Returns a count followed by words.
  static func count(_ count: Int, _ words: String, _ emphasis: Emphasis = .plain) -> Phrase {
    Phrase("\(HumanNumbers.count(count)) \(words)", emphasis)
  }

  /// Returns a rate, followed by words and its interval.
  static func rate(_ rate: Rate?, _ words: String) -> Phrase {
    guard let rate else { return Phrase([.absent, .text(" \(words)", .plain)]) }
    return Phrase([
      .share(rate.value, of: rate.denominator, .strong), .text(" \(words) (95 % interval ", .plain), .interval(rate),
      .text(")", .plain),
    ])
  }
}
