package import FunnelModel
import FunnelProjections

/// The options of a comparison that do not change which groups are counted.
package struct ComparisonSettings: Hashable, Sendable {
  /// The default change that sample sizes must detect, as a share: five percentage points.
  package static let defaultChange = 0.05

  /// The name of the metric that the verdict is about (``MetricName``). A flow version may lack the metric.
  package var primaryMetric = MetricName.conversion.description
  /// The changes that sample sizes can be computed for, as shares.
  package static var changes: ClosedRange<Double> { SampleSize.changes }

  /// The change that sample sizes must detect, as a share in ``changes``.
  package var change = ComparisonSettings.defaultChange
  /// The intended ratio of the sizes of two sides, or `nil` if none is intended.
  package var ratio: SideRatio?
  /// The key whose values are the strata, or `nil` for a comparison without strata. It is the last dimension of
  /// the query.
  package var strata: Dimension?

  package init() {}

  /// The primary metric, or `nil` if no flow version can have one of the name.
  var primary: MetricName? { MetricName(primaryMetric) }
}

/// The intended ratio of the sizes of two sides, in the notation of `--ratio`: `50:50`, `9:1`.
package struct SideRatio: Hashable, Sendable, CustomStringConvertible {
  package let a: Double
  package let b: Double
  /// The text that was parsed.
  package let description: String

  /// Equal sizes.
  package static let even = SideRatio("50:50")!

  /// Parses two numbers with a colon between them. Returns `nil` for any other text, and for numbers outside
  /// `SampleRatio.ratioParts`.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let a = Self.part(parts[0]), let b = Self.part(parts[1]) else { return nil }
    self.a = a
    self.b = b
    description = text
  }

  private static func part(_ text: Substring) -> Double? {
    // `Double` also parses `0x10`, `1e3` and `nan`.
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") }),
      let number = Double(text), SampleRatio.ratioParts.contains(number)
    else { return nil }
    return number
  }
}
