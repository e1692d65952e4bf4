public import FunnelModel
public import FunnelProjections

/// The comparison of a baseline with another side, in one flow version, or of two versions of one flow.
public struct ComparisonRow: ReportRow {
  /// A side as a row names it.
  public struct Side: Hashable, Sendable {
    /// The name in JSON and CSV.
    public let label: String
    /// The name for people.
    public let title: String
    public let entered: Int
    /// The number of groups that are not counted because they are in progress.
    public let inProgress: Int

    init(_ side: ComparisonSide) {
      label = side.label
      title = side.title
      entered = side.entered
      inProgress = side.inProgress
    }
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
  public let by: ComparedBy
  /// What is counted.
  public let noun: CountedNoun
  /// The baseline.
  public let a: Side
  public let b: Side
  /// The number of sides that the baseline is compared with, this one included.
  public let pairCount: Int
  /// The context of the whole flow version, which all rows of it share.
  public let context: FlowComparison.Context
  /// The number of groups that have the values of several sides.
  public let mixed: Int
  /// Nil if the sizes of the sides are not meant to have a ratio.
  public let sizes: SizeCheck?
  /// The test of conversion over all sides; nil if there are only two.
  public let overall: HomogeneityTest?
  public internal(set) var metrics: [ComparisonMetric]
  /// Why the sides can't be compared fairly as they are, most important first.
  public let caveats: [ComparisonCaveat]
  /// Sentences about those of each side who reached the last step in another way, where this does not decide the comparison.
  let otherWays: [String]
  /// The options of the comparison.
  public let settings: ComparisonSettings

  public var groups: Int { a.entered + b.entered }

  /// Compares two sides of a flow version. The p values are not yet corrected.
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
    caveats = ComparisonCaveat.all(of: a, b, in: flow, settings)
    otherWays = ComparisonCaveat.otherWay(a, b, flow) == nil ? [a, b].compactMap { Self.otherWay($0, flow.noun) } : []
    metrics = Self.listed(a, b, primary: settings.primaryMetric)
  }

  private static func otherWay(_ side: ComparisonSide, _ noun: CountedNoun) -> String? {
    LeftOutText.otherWay(
      dropped: (side.finishedOutOfOrder, side.dropped), inProgress: (side.inProgressOutOfOrder, side.countedInProgress),
      counting: noun
    ).map { "\(side.title): \($0)" }
  }

  /// Whether the sizes of the sides are not as meant. People are assigned to sides; that those of one side make more attempts is no fault.
  var isRatioSuspect: Bool { noun == .people && sizes?.result.isSuspect == true }

  /// The caveats that hold for the primary metric as it came out.
  var appliedCaveats: [ComparisonCaveat] {
    let isDifferent = primary?.isSignificant == true
    return caveats.filter { isDifferent || !$0.onlyMakesDifferences }
  }

  /// Whether the primary metric of both sides can be compared as it is.
  var isFair: Bool { !isRatioSuspect && appliedCaveats.isEmpty }

  /// Whether both sides grow about equally fast, so that both have enough after the same number of days.
  var areAboutEqual: Bool { 5 * min(a.entered, b.entered) >= 4 * max(a.entered, b.entered) }

  /// The metric that the verdict is about; nil if the flow version lacks it.
  var primary: ComparisonMetric? { metrics.first(where: \.isPrimary) }
}

extension ComparisonRow {
  /// Returns all metrics of two sides in the order of the flow, also those that say the same as another one: conversion as the share that
  /// reached the last step, and access where nobody had it without a grant.
  static func metrics(_ a: ComparisonSide, _ b: ComparisonSide) -> [ComparisonMetric] {
    var metrics = [
      ComparisonMetric(ComparisonMetric.conversionName, label: "Conversion", a: a.conversion, b: b.conversion)
    ]
    for id in merged(a.steps.dropFirst().map(\.id), b.steps.dropFirst().map(\.id)) {
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

  /// Returns the metrics that a row lists: each says something of its own, and the primary one is marked.
  private static func listed(_ a: ComparisonSide, _ b: ComparisonSide, primary: String) -> [ComparisonMetric] {
    var names: Set = [ComparisonMetric.conversionName, primary]
    names.formUnion((a.middleSteps + b.middleSteps).map { "reached:\($0.id)" })
    for permission in a.permissions + b.permissions {
      names.formUnion(["grant_rate:\(permission)", "dialog_grant_rate:\(permission)"])
      if [a, b].contains(where: { $0.answers(to: permission)?.hasAccessWithoutGrant ?? false }) {
        names.insert("access_rate:\(permission)")
      }
    }
    return metrics(a, b).filter { names.contains($0.name) }.map { metric in
      var metric = metric
      metric.isPrimary = metric.name == primary
      return metric
    }
  }

  /// Returns the names of the metrics that can be the primary one of some flow versions: all but the last step's, which is conversion.
  public static func primaryNames(of flow: FlowDefinition) -> [String] {
    let side = ComparisonSide(label: "", of: flow, funnel: [], grants: [])
    let last = side.steps.last.map { "reached:\($0.id)" }
    return metrics(side, side).map(\.name).filter { $0 != last }
  }

  /// Returns the names of both lists, each once: those of the first in its order, and each that only the second has after the one in
  /// front of it there.
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
