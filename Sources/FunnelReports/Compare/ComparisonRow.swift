package import FunnelModel
package import FunnelProjections
package import FunnelRendering

/// The comparison of a baseline with one other side: within one flow version, or between two versions of a flow.
package struct ComparisonRow: ReportRow {
  /// The names and sizes of a side.
  package struct Side: Hashable, Sendable {
    /// The name in JSON and CSV.
    package let label: String
    /// The display name.
    package let title: String
    package let entered: Int
    /// The number of groups that are excluded because they are in progress.
    package let inProgress: Int

    init(_ side: ComparisonSide) {
      label = side.label
      title = side.title
      entered = side.entered
      inProgress = side.inProgress
    }
  }

  /// The sample ratio check: whether the sizes of both sides match the intended ratio.
  package struct SizeCheck: Hashable, Sendable {
    /// The intended ratio.
    package let ratio: SideRatio
    package let result: SampleRatio
  }

  package let key: RowKey
  package let title: String
  /// The property that divides groups into sides.
  package let by: ComparedBy
  /// The noun for the groups that are counted.
  package let noun: CountedNoun
  /// The baseline.
  package let a: Side
  package let b: Side
  /// The number of sides that the baseline is compared with, this one included.
  package let pairCount: Int
  /// The context of the whole flow version, which all rows of it share.
  package let context: FlowComparison.Context
  /// The number of groups that have the values of several sides.
  package let mixed: Int
  /// The check of the sizes, or `nil` if no ratio is intended.
  package let sizes: SizeCheck?
  /// The test of conversion over all sides, or `nil` if there are only two.
  package let overall: HomogeneityTest?
  package internal(set) var metrics: [ComparisonMetric]
  /// The reasons why the comparison may not be fair, most important first.
  package let caveats: [ComparisonCaveat]
  /// A sentence for each side whose groups reached the last step in another way. Empty if a caveat covers them.
  let otherWays: [String]
  /// The options of the comparison.
  package let settings: ComparisonSettings

  package var groups: Int { a.entered + b.entered }

  /// Compares two sides of a flow version. The p values are uncorrected until ``FlowComparison`` corrects those
  /// of all rows.
  init(_ a: ComparisonSide, _ b: ComparisonSide, of flow: FlowComparison, _ settings: ComparisonSettings) {
    key = flow.key
    title = flow.title
    by = flow.by
    noun = flow.noun
    self.a = Side(a)
    self.b = Side(b)
    pairCount = flow.sides.count - 1
    context = flow.context
    mixed = a.mixed + b.mixed
    sizes = settings.ratio.flatMap { ratio in
      SampleRatio(a: a.entered, b: b.entered, expected: (ratio.a, ratio.b)).map { SizeCheck(ratio: ratio, result: $0) }
    }
    overall = flow.sides.count > 2 ? HomogeneityTest(flow.sides.map { ($0.conversion.count, of: $0.conversion.total) }) : nil
    self.settings = settings
    let pair = ComparedPair(a: a, b: b, flow: flow, settings: settings)
    caveats = ComparisonCaveat.all(of: pair)
    otherWays = pair.otherWay == nil ? [a, b].compactMap { Self.otherWay($0, flow.noun) } : []
    metrics = Self.listed(a, b, primary: settings.primary)
  }

  private static func otherWay(_ side: ComparisonSide, _ noun: CountedNoun) -> String? {
    LeftOutText.otherWay(
      dropped: .init(finished: side.finishedOutOfOrder, all: side.dropped),
      inProgress: .init(finished: side.inProgressOutOfOrder, all: side.countedInProgress), counting: noun
    ).map { "\(side.title): \($0)" }
  }

  // Only people are assigned to sides. One side may well make more attempts per person.
  /// Whether the sizes of the sides deviate significantly from the intended ratio.
  var isRatioSuspect: Bool { noun == .people && sizes?.result.isSuspect == true }

  /// The caveats that apply to the result of the primary metric.
  var appliedCaveats: [ComparisonCaveat] {
    let isDifferent = primary?.isSignificant == true
    return caveats.filter { isDifferent || !$0.onlyMakesDifferences }
  }

  /// Whether neither the sizes nor a caveat make the comparison of the primary metric unfair.
  var isFair: Bool { !isRatioSuspect && appliedCaveats.isEmpty }

  /// Whether the smaller side has at least 80 % of the size of the larger one. Both then reach a size in about
  /// the same time.
  var areAboutEqual: Bool { 5 * min(a.entered, b.entered) >= 4 * max(a.entered, b.entered) }

  /// The metric that the verdict is about, or `nil` if the flow version lacks it.
  var primary: ComparisonMetric? { metrics.first(where: \.isPrimary) }
}

extension ComparisonRow {
  /// Returns all metrics of two sides in the order of the flow.
  ///
  /// Some may be equal to others: the share that reached the last step is conversion, and the access rate is
  /// the grant rate unless a group has access without a grant.
  static func metrics(_ a: ComparisonSide, _ b: ComparisonSide) -> [ComparisonMetric] {
    let steps = merged(a.steps.dropFirst().map(\.id), b.steps.dropFirst().map(\.id))
    let ofSteps = steps.map { MetricName.reached(step: $0) }
    let ofPermissions = merged(a.permissions, b.permissions).flatMap { permission -> [MetricName] in
      [
        .grantRate(permission: permission), .accessRate(permission: permission), .dialogGrantRate(permission: permission),
      ]
    }
    return ([.conversion] + ofSteps + ofPermissions).map { ComparisonMetric($0, of: a, b) }
  }

  /// Returns the metrics that a row lists, without those that are always equal to another one, and marks the
  /// primary metric.
  private static func listed(_ a: ComparisonSide, _ b: ComparisonSide, primary: MetricName?) -> [ComparisonMetric] {
    let middleSteps = Set((a.middleSteps + b.middleSteps).map(\.id))
    return metrics(a, b).compactMap { metric in
      var metric = metric
      metric.isPrimary = metric.id == primary
      let isListed =
        switch metric.id {
        case .conversion, .grantRate, .dialogGrantRate: true
        case .reached(let step): middleSteps.contains(step)
        case .accessRate(let permission):
          [a, b].contains { $0.answers(to: permission)?.hasAccessWithoutGrant ?? false }
        }
      return isListed || metric.isPrimary ? metric : nil
    }
  }

  /// Returns the names of the metrics of a flow version that can be primary: all but that of the last step,
  /// which is conversion.
  package static func primaryNames(of flow: FlowDefinition) -> [String] {
    let side = ComparisonSide(label: "", of: flow, funnel: [], grants: [])
    let last = side.steps.last.map { MetricName.reached(step: $0.id) }
    return metrics(side, side).map(\.id).filter { $0 != last }.map(\.description)
  }

  /// Returns the union of two lists of names. A name of the second list only is inserted after its predecessor there.
  private static func merged(_ first: [String], _ second: [String]) -> [String] {
    var result = first
    var index = 0
    for name in second {
      if let found = result.firstIndex(of: name) {
        index = found + 1
      } else {
        result.insert(name, at: index)
        index += 1
      }
    }
    return result
  }
}
