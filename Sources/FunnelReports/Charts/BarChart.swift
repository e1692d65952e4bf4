import FunnelProjections

/// Bars of several parts, one below the other, each under its label.
struct BarChart {
  /// A part that every bar may have.
  struct Part: Equatable {
    let name: String
    let ink: ChartInk
  }

  struct Bar {
    let label: DocumentCell.Label
    /// The length of each part.
    let lengths: [Double]
    /// The length that fills the width.
    let whole: Double
    /// The number that the bar stands for.
    let value: Phrase
    /// The 95 % interval of the first parts together, in the same unit.
    var interval: ClosedRange<Double>?
  }

  let parts: [Part]
  let bars: [Bar]
  /// Whether parts are labelled with their numbers; not where the number of the bar says the same.
  var hasPartLabels = true

  /// The parts that some bar has, one of each ink.
  var partsInUse: [Part] {
    var inks: Set<ChartInk> = []
    return parts.indices.filter { part in bars.contains { $0.lengths[part] > 0 } && inks.insert(parts[part].ink).inserted }
      .map { parts[$0] }
  }

  init(parts: [Part], bars: [Bar]) {
    precondition(bars.allSatisfy { $0.lengths.count == parts.count }, "a bar has a length for each part")
    self.parts = parts
    self.bars = bars
  }

  /// Creates bars of rates with their intervals.
  ///
  /// - Parameters:
  ///   - top: The share that fills the width.
  ///   - meanings: What the inks mean, if there are several.
  init(
    rates: [(label: DocumentCell.Label, rate: Rate?, ink: ChartInk)], top: Double = 1, meanings: [ChartInk: String] = [:]
  ) {
    let inks = ChartInk.allCases.filter { ink in rates.contains { $0.ink == ink } }
    parts = inks.map { Part(name: meanings[$0] ?? "", ink: $0) }
    bars = rates.map { entry in
      Bar(
        label: entry.label, lengths: inks.map { $0 == entry.ink ? entry.rate?.value ?? 0 : 0 }, whole: top,
        value: entry.rate.map { Phrase.counted($0) } ?? Phrase([.absent]), interval: entry.rate.map { $0.low...$0.high })
    }
  }
}

extension Rate {
  /// The count that the rate is made of.
  fileprivate var numerator: Int { Int((value * Double(denominator)).rounded()) }
}

extension Phrase {
  /// A rate in a chart: the share, and the counts it is made of.
  static func counted(_ rate: Rate) -> Phrase {
    Phrase([
      .share(rate.value, of: rate.denominator, .strong),
      .text(" · \(HumanNumbers.count(rate.numerator)) of \(HumanNumbers.count(rate.denominator))", .plain),
    ])
  }
}
