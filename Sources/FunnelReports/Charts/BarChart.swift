import FunnelProjections

/// A chart of horizontal stacked bars, each below its label.
struct BarChart {
  /// A part that a bar may have, such as an outcome.
  struct Part: Equatable {
    let name: String
    let ink: ChartInk
  }

  /// One bar.
  struct Bar {
    let label: DocumentCell.Label
    /// The length of each part, in the order of ``BarChart/parts``.
    let lengths: [Double]
    /// The length that fills the width.
    let whole: Double
    /// The number that the bar shows.
    let value: Phrase
    /// The 95 % interval of the total length, in the same unit, or `nil` for counts.
    var interval: ClosedRange<Double>?
  }

  let parts: [Part]
  let bars: [Bar]
  /// Whether parts are labeled with their counts. Not needed if the value of the bar is the same number.
  var hasPartLabels = true

  /// The parts of nonzero length in any bar, without repeated inks.
  var partsInUse: [Part] {
    var inks: Set<ChartInk> = []
    return parts.indices.filter { part in bars.contains { $0.lengths[part] > 0 } && inks.insert(parts[part].ink).inserted }
      .map { parts[$0] }
  }

  /// Creates bars that are divided into parts. Each bar must have a length for each part.
  init(parts: [Part], bars: [Bar]) {
    precondition(bars.allSatisfy { $0.lengths.count == parts.count }, "a bar has a length for each part")
    self.parts = parts
    self.bars = bars
  }

  /// Creates bars of rates with their intervals.
  ///
  /// - Parameters:
  ///   - top: The share that fills the width.
  ///   - meanings: The meaning of each ink, if there are several.
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
  /// The numerator of the rate.
  fileprivate var numerator: Int { Int((value * Double(denominator)).rounded()) }
}

extension Phrase {
  /// Returns a rate with its numerator and denominator.
  static func counted(_ rate: Rate) -> Phrase {
    Phrase([
      .share(rate.value, of: rate.denominator, .strong),
      .text(" · \(HumanNumbers.count(rate.numerator)) of \(HumanNumbers.count(rate.denominator))", .plain),
    ])
  }
}
