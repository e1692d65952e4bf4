package import FunnelModel

/// A chart of horizontal stacked bars, each below its label.
///
///     BarChart(
///       parts: [.init(name: "continued", ink: .good), .init(name: "dropped", ink: .loss)],
///       bars: [.init(label: label, lengths: [75, 20], whole: 100, value: Phrase("95"))])
package struct BarChart {
  /// A part that a bar may have, such as an outcome.
  package struct Part: Equatable {
    let name: String
    let ink: ChartInk

    package init(name: String, ink: ChartInk) {
      self.name = name
      self.ink = ink
    }
  }

  /// One bar.
  package struct Bar {
    let label: DocumentCell.Label
    /// The length of each part, in the order of ``BarChart/parts``.
    let lengths: [Double]
    /// The length that fills the width.
    let whole: Double
    /// The number that the bar shows.
    let value: Phrase
    /// The 95 % interval of the total length, in the same unit, or `nil` for counts.
    let interval: ClosedRange<Double>?
    /// The people that each part counts, which served pages link to their lists. Empty if there are no such lists.
    let people: [PeopleState?]
    /// The segment that the bar is about. Empty for all people.
    let segment: [PropertyValue]

    package init(
      label: DocumentCell.Label, lengths: [Double], whole: Double, value: Phrase, interval: ClosedRange<Double>? = nil,
      people: [PeopleState?] = [], segment: [PropertyValue] = []
    ) {
      precondition(people.isEmpty || people.count == lengths.count, "each part has its people, or none has")
      self.people = people
      self.segment = segment
      self.label = label
      self.lengths = lengths
      self.whole = whole
      self.value = value
      self.interval = interval
    }
  }

  let parts: [Part]
  let bars: [Bar]
  /// Whether parts are labeled with their counts. Not needed if the value of the bar is the same number.
  package var hasPartLabels = true

  /// The parts of nonzero length in any bar, without repeated inks.
  var partsInUse: [Part] {
    var inks: Set<ChartInk> = []
    return parts.indices.filter { part in bars.contains { $0.lengths[part] > 0 } && inks.insert(parts[part].ink).inserted }
      .map { parts[$0] }
  }

  /// Creates bars that are divided into parts. Each bar must have a length for each part.
  package init(parts: [Part], bars: [Bar]) {
    precondition(bars.allSatisfy { $0.lengths.count == parts.count }, "a bar has a length for each part")
    self.parts = parts
    self.bars = bars
  }

  /// Creates bars of rates with their intervals.
  ///
  /// - Parameters:
  ///   - top: The share that fills the width.
  ///   - meanings: The meaning of each ink, if there are several.
  package init(
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

extension BarChart {
  private static let labelBaseline = 14.0
  private static let barHeight = 18.0
  private static let indent = 18.0
  private static let gap = 14.0
  /// The distance between the texts of a bar and the bar.
  private static let textGap = 3.0
  /// The space below the last bar for the caps of its interval.
  private static let bottomMargin = 2.0
  /// The distance of a part's label from the left and the lower edge of the part.
  private static let partLabelInset = 5.0
  /// Half the height of the caps of an interval.
  private static let capHalfHeight = 4.0

  /// The marks: for each bar its label and value above it, its parts side by side, and its interval across their end.
  var drawing: ChartDrawing {
    let isStacked = bars.contains { heading(of: $0).needsTwoLines }
    let barTop = (isStacked ? 2 : 1) * RowHeading.lineHeight + Self.textGap
    let rowHeight = barTop + Self.barHeight + Self.gap
    var drawing = ChartDrawing(height: rowHeight * Double(bars.count) - Self.gap + Self.bottomMargin)
    for (row, bar) in bars.enumerated() {
      let y = rowHeight * Double(row)
      drawing.marks += heading(of: bar).marks(baseline: y + Self.labelBaseline, isStacked: isStacked)
      draw(bar, top: y + barTop, into: &drawing)
    }
    return drawing
  }

  private func heading(of bar: Bar) -> RowHeading {
    RowHeading(
      label: bar.label.phrase.plainText, indent: Self.indent * Double(bar.label.depth), value: bar.value.plainText)
  }

  private func draw(_ bar: Bar, top: Double, into drawing: inout ChartDrawing) {
    guard bar.whole > 0 else { return }
    func percent(_ length: Double) -> Percent { Percent(min(max(length / bar.whole, 0), 1) * 100) }
    drawing.marks.append(
      .line(x1: 0, y1: top + Self.barHeight, x2: 100, y2: top + Self.barHeight, stroke: .grid))
    var start = 0.0
    for (index, (part, length)) in zip(parts, bar.lengths).enumerated() where length > 0 {
      let x = percent(start)
      let width = percent(length)
      start += length
      // Bars of rates have their numbers beside them.
      let count = parts.count > 1 && bar.interval == nil ? HumanNumbers.count(Int(length.rounded())) : ""
      let tip = count.isEmpty ? nil : "\(bar.label.phrase.plainText): \(count) \(part.name)"
      let link = bar.people.isEmpty ? nil : bar.people[index].map { ChartLink(state: $0, segment: bar.segment) }
      drawing.marks.append(.area(x: x, width: width, y: top, height: Self.barHeight, ink: part.ink, tip: tip, link: link))
      guard hasPartLabels, !count.isEmpty else { continue }
      // The longest label that fits: the count and the name, the count, or none.
      drawing.marks += ChartDrawing.texts { pageWidth in
        ["\(count) \(part.name)", count].first { ChartDrawing.fits($0, in: width, of: pageWidth) }
          .map { text in
            [
              ChartText(
                text: text, x: x, y: top + Self.barHeight - Self.partLabelInset, dx: Self.partLabelInset, role: .on(part.ink))
            ]
          } ?? []
      }
    }
    guard let interval = bar.interval else { return }
    let low = percent(interval.lowerBound)
    let high = percent(interval.upperBound)
    let middle = top + Self.barHeight / 2
    drawing.marks += [
      .line(x1: low, y1: middle, x2: high, y2: middle, stroke: .interval),
      .line(x1: low, y1: middle - Self.capHalfHeight, x2: low, y2: middle + Self.capHalfHeight, stroke: .interval),
      .line(x1: high, y1: middle - Self.capHalfHeight, x2: high, y2: middle + Self.capHalfHeight, stroke: .interval),
    ]
  }
}

extension Rate {
  /// The numerator of the rate.
  fileprivate var numerator: Int { Int((value * Double(denominator)).rounded()) }
}

extension Phrase {
  /// Returns a rate with its numerator and denominator.
  package static func counted(_ rate: Rate) -> Phrase {
    Phrase([
      .share(rate.value, of: rate.denominator, .strong),
      .text(" · \(HumanNumbers.count(rate.numerator)) of \(HumanNumbers.count(rate.denominator))", .plain),
    ])
  }
}
