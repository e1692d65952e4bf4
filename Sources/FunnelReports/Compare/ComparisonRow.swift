import FunnelModel
public import FunnelProjections

/// The comparison of two sides of one flow version, or of two versions of one flow.
public struct ComparisonRow: ReportRow {
  /// A side as a row names it.
  public struct Side: Hashable, Sendable {
    public let label: String
    public let entered: Int
  }

  /// The check of the sizes of both sides.
  public struct SizeCheck: Hashable, Sendable {
    /// The ratio that was meant.
    public let ratio: SideRatio
    public let result: SampleRatio
  }

  public let key: RowKey
  public let title: String
  /// What the sides are told apart by.
  public let dimension: String
  /// The baseline.
  public let a: Side
  public let b: Side
  /// Nil if the sizes of the sides are not meant to have a ratio.
  public let sizes: SizeCheck?
  public let metrics: [ComparisonMetric]

  public var groups: Int { a.entered + b.entered }

  /// Compares two sides, or returns nil if no group of either entered the flow.
  ///
  /// - Parameter ratio: The ratio that the sizes of the sides should have, or nil if they need not have one.
  public init?(key: RowKey, title: String, dimension: String, a: ComparisonSide, b: ComparisonSide, ratio: SideRatio?) {
    guard a.entered + b.entered > 0 else { return nil }
    self.key = key
    self.title = title
    self.dimension = dimension
    self.a = Side(label: a.label, entered: a.entered)
    self.b = Side(label: b.label, entered: b.entered)
    sizes = ratio.flatMap { ratio in
      SampleRatio(a: a.entered, b: b.entered, expected: (ratio.a, ratio.b)).map { SizeCheck(ratio: ratio, result: $0) }
    }
    metrics = Self.metrics(a, b).corrected
  }

  /// The metric that a comparison is summed up by.
  var conversion: ComparisonMetric? { metrics.first { $0.name == ComparisonMetric.conversionName } }
}

extension ComparisonRow {
  /// Returns the metrics of both sides in the order of the flow, not yet corrected.
  static func metrics(_ a: ComparisonSide, _ b: ComparisonSide) -> [ComparisonMetric] {
    var metrics = [
      ComparisonMetric(ComparisonMetric.conversionName, label: "Conversion", a: a.conversion, b: b.conversion)
    ]
    for id in merged(a.steps.map(\.id), b.steps.map(\.id)) {
      // The label of the newer side, because versions are usually given the older one first.
      let label = (b.steps.first { $0.id == id } ?? a.steps.first { $0.id == id })?.label ?? id
      metrics.append(ComparisonMetric("reached:\(id)", label: "Reached: \(label)", a: a.reached(id), b: b.reached(id)))
    }
    for permission in merged(a.permissions, b.permissions) {
      let (ofA, ofB) = (a.answers(to: permission), b.answers(to: permission))
      metrics += [
        ComparisonMetric("grant_rate:\(permission)", label: "Grant rate: \(permission)", a: ofA?.granted, b: ofB?.granted),
        ComparisonMetric("access_rate:\(permission)", label: "Access rate: \(permission)", a: ofA?.access, b: ofB?.access),
        ComparisonMetric(
          "dialog_grant_rate:\(permission)", label: "In dialog: \(permission)", a: ofA?.inDialog, b: ofB?.inDialog),
      ]
    }
    return metrics
  }

  /// Returns the names of both lists, each once: those of the first in its order, and each that only the second has after the one in
  /// front of it there.
  private static func merged(_ first: [String], _ second: [String]) -> [String] {
    var result = first
    var place = 0
    for name in second {
      if let found = result.firstIndex(of: name) {
        place = found + 1
      } else {
        result.insert(name, at: place)
        place += 1
      }
    }
    return result
  }
}
