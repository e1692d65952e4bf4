import ArgumentParser
import FunnelModel
import FunnelProjections
import FunnelRendering
import FunnelReports

/// The options that define the sides of a comparison.
struct SideOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Compare values of ctx.KEY, props.KEY, step.ID.props.KEY, step.ID.ctx.KEY, or of a unit of time.", valueName: "key"))
  var by: [String] = []

  @Option(
    help: ArgumentHelp(
      "The values of --by, the baseline first, 2 to \(ComparisonLimits.sidesMax) (default: all of them; \\, is a comma, nothing is absent).",
      valueName: "a,b,…"))
  var sides: String?

  @Option(help: ArgumentHelp("Compare versions of a flow, the baseline first.", valueName: "a,b,…"))
  var versions: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Compare --since to --until (default: now) with another period, the earlier one being the baseline: previous (as many days, right before) or FROM..TO; each end as --since takes it.",
      valueName: "previous|from..to"))
  var versus: String?

  @Option(
    help: ArgumentHelp(
      "The number that the verdict is about: conversion, reached:STEP, grant_rate:PERMISSION, access_rate:PERMISSION or dialog_grant_rate:PERMISSION (default: conversion).",
      valueName: "metric"),
    completion: Completions.metrics)
  var metric: String?

  @Option(
    help: ArgumentHelp(
      "The change, in points, that a comparison should be able to show: how many people that takes (default: 5).",
      valueName: "points"))
  var detect: String?

  @Option(
    help: ArgumentHelp(
      "Also compare within the values of this key, so that a different mix of them makes no difference.", valueName: "key"))
  var stratify: String?

  @Option(
    help: ArgumentHelp(
      "What the sizes of two values should be to each other (default: 50:50 for keys named variant, experiment, arm, bucket or group).",
      valueName: "a:b"))
  var ratio: String?

  @Flag(help: "Leave out people who have more than one value of --by.")
  var dropMixed = false

  @Flag(help: "Count people whose window is still open, too.")
  var openToo = false

  /// Returns the plan of the comparison for a query.
  ///
  /// - Throws: `usage` unless exactly one of `--by`, `--versions` and `--versus` is given, with valid values.
  func plan(for query: ReportQuery) throws(FunnelError) -> ComparisonPlan {
    var query = query
    query.isMature = !openToo
    query.dropsMixed = dropMixed
    let given = [("--by", !by.isEmpty), ("--versions", versions != nil), ("--versus", versus != nil)].filter(\.1).map(\.0)
    guard let way = given.first else {
      throw FunnelError(
        .usage,
        "nothing to compare, funnel compare, give one of --by KEY, --versions A,B, or --since A --versus previous")
    }
    guard given.count == 1 else {
      throw FunnelError(
        .usage, "\(given.count) ways to compare, \(given.joined(separator: " and ")), give one of them")
    }
    if sides != nil, way != "--by" {
      throw FunnelError(.usage, "--sides goes with --by, not with \(way), leave one of them out")
    }
    if ratio != nil, way != "--by" {
      throw FunnelError(.usage, "--ratio goes with --by, not with \(way): nobody was assigned to the sides; leave it out")
    }
    if dropMixed, way != "--by" {
      throw FunnelError(.usage, "--drop-mixed goes with --by, not with \(way): nobody is on two sides; leave it out")
    }
    if let versions { return ComparisonPlan(query, .versions(try Self.versions(versions)), try settings(for: .version)) }
    if let versus { return try periods(query, versus: versus) }
    return try values(query)
  }

  /// Returns the settings of the comparison, which do not affect which groups count.
  private func settings(for comparedBy: ComparedBy) throws(FunnelError) -> ComparisonSettings {
    var settings = ComparisonSettings()
    if let metric { settings.primaryMetric = metric }
    if let detect { settings.change = try Self.change(detect) }
    if let ratio { settings.ratio = try Self.ratio(ratio) } else if comparedBy.isExperiment { settings.ratio = .even }
    if let stratify {
      guard let dimension = Dimension(stratify) else {
        throw FunnelError(.usage, "not a dimension, --stratify \(stratify.printable), \(Dimension.advice(insteadOf: stratify))")
      }
      if comparedBy == .key(dimension) {
        throw FunnelError(
          .usage, "the sides differ by that key, --stratify \(stratify.printable), name another one than --by does")
      }
      settings.strata = dimension
    }
    return settings
  }

  /// Returns the plan of a comparison of values (`--by`).
  private func values(_ query: ReportQuery) throws(FunnelError) -> ComparisonPlan {
    guard by.count == 1 else {
      throw FunnelError(.usage, "several keys, \(by.map { "--by \($0.printable)" }.joined(separator: " ")), compare by one")
    }
    let dimension = try DimensionOption.dimension(by[0])
    guard dimension != .version else {
      throw FunnelError(.usage, "versions have an option of their own, --by version, write --versions 1,2")
    }
    if query.anchor == .best, dimension.calendarExample != nil { throw AnchorRule.noTime("--by \(dimension)") }
    var query = query
    query.by = [dimension]
    return ComparisonPlan(
      query, .values(asked: try sides.map { (text) throws(FunnelError) in try Self.sides(text) }),
      try settings(for: .key(dimension)))
  }

  /// Returns the plan of a comparison of periods (`--versus`).
  private func periods(_ query: ReportQuery, versus text: String) throws(FunnelError) -> ComparisonPlan {
    if query.anchor == .best { throw AnchorRule.noTime("--versus") }
    guard let since = query.since else {
      throw FunnelError(
        .usage, "no period to compare, --versus \(text.printable), give --since too, and --until if it does not end now")
    }
    let until = query.until ?? query.now
    guard since < until else {
      throw FunnelError(.usage, "an empty period, --since \(since) is not before now, \(until), begin earlier")
    }
    let asked = ComparedPeriod(since..<until, in: query.timeZone)
    let other =
      text == "previous" ? asked.previous(isOpenEnded: query.until == nil) : try period(text, query)
    var query = query
    query.until = until
    // If both begin together, the period given with --versus is the baseline.
    let isAskedEarlier = asked.range.lowerBound < other.range.lowerBound
    let baseline = isAskedEarlier ? asked : other
    let later = isAskedEarlier ? other : asked
    return ComparisonPlan(query, .periods(baseline: baseline, later: later), try settings(for: .period))
  }

  /// Parses a period `FROM..TO`.
  private func period(_ text: String, _ query: ReportQuery) throws(FunnelError) -> ComparedPeriod {
    let moments = MomentOption(now: query.now, timeZone: query.timeZone)
    guard let dots = text.firstRange(of: "..") else {
      throw FunnelError(
        .usage,
        "not a period, --versus \(text.printable), write previous, 2026-11-01..2026-11-08, or 14d..7d before now")
    }
    guard let from = try moments.moment(String(text[..<dots.lowerBound]), option: "--versus"),
      let to = try moments.moment(String(text[dots.upperBound...]), option: "--versus")
    else { preconditionFailure("a text is a moment or an error") }
    guard from < to else {
      throw FunnelError(.usage, "an empty period, --versus \(text.printable), \(from) is not before \(to), swap or widen them")
    }
    return ComparedPeriod(from..<to, in: query.timeZone)
  }
}

/// The limits of a comparison.
enum ComparisonLimits {
  /// The largest number of sides. With more, the table is unreadable and most differences are chance.
  static let sidesMax = 10
}

extension SideOptions {
  /// Parses the value of `--sides`.
  private static func sides(_ text: String) throws(FunnelError) -> [ConditionItem] {
    let items = ConditionItem.list(text)
    guard (2...ComparisonLimits.sidesMax).contains(items.count) else {
      throw FunnelError(
        .usage,
        "\(items.count == 1 ? "only one side" : "\(items.count) sides"), --sides \(text.printable), name 2 to \(ComparisonLimits.sidesMax) as A,B with the baseline first; \\, is a comma in a value"
      )
    }
    guard Set(items).count == items.count else {
      throw FunnelError(.usage, "twice the same side, --sides \(text.printable), name different values")
    }
    return items
  }

  /// Parses the value of `--versions`.
  private static func versions(_ text: String) throws(FunnelError) -> [Int] {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(part) : nil
    }
    let versions = parts.compactMap { $0 }.filter { $0 >= 1 }
    guard versions.count == parts.count, (2...ComparisonLimits.sidesMax).contains(versions.count) else {
      throw FunnelError(
        .usage,
        "not 2 to \(ComparisonLimits.sidesMax) versions, --versions \(text.printable), write them as 1,2 with the baseline first"
      )
    }
    guard Set(versions).count == versions.count else {
      throw FunnelError(.usage, "twice the same version, --versions \(text.printable), name different ones")
    }
    return versions
  }

  private static func ratio(_ text: String) throws(FunnelError) -> SideRatio {
    if let ratio = SideRatio(text) { return ratio }
    throw FunnelError(
      .usage, "not a ratio, --ratio \(text.printable), write it as 50:50 or 1:2, each number from 0.000001 to 1000000")
  }

  /// The smallest change in percentage points. A smaller one would need more people than exist.
  private static let pointsMin = 0.01

  /// Parses a number of percentage points and returns it as a fraction.
  private static func change(_ text: String) throws(FunnelError) -> Double {
    // Double also reads 0x10, 1e3 and nan.
    let isNumber = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") }
    guard isNumber, let points = Double(text), points >= pointsMin, SampleSize.changes.contains(points / 100) else {
      throw FunnelError(
        .usage, "not a number of points, --detect \(text.printable), write one from \(pointsMin) to 50, such as 5 or 0.5")
    }
    return points / 100
  }
}
