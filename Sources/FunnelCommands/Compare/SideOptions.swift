import ArgumentParser
import FunnelModel
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

  /// Whether an option says in what the sides differ.
  var hasDifference: Bool { !givenDifferences.isEmpty }

  /// Returns the plan of the comparison for a query.
  ///
  /// - Throws: `usage` unless exactly one of `--by`, `--versions` and `--versus` is given, with valid values.
  func plan(for query: ReportQuery) throws(FunnelError) -> ComparisonPlan {
    var query = query
    query.isMature = !openToo
    query.dropsMixed = dropMixed
    let differences = givenDifferences
    guard let difference = differences.first else {
      throw FunnelError(
        .usage,
        "nothing to compare, funnel compare, give one of --by KEY, --versions A,B, or --since A --versus previous")
    }
    guard differences.count == 1 else {
      throw FunnelError(
        .usage,
        "\(differences.count) ways to compare, \(differences.map(\.option).joined(separator: " and ")), give one of them")
    }
    switch difference {
    case .keys(let keys): return try values(query, of: keys)
    case .versions(let text):
      try refuseOptionsOfValues(with: difference)
      return ComparisonPlan(query, .versions(try Self.versions(text)), try settings(for: .version))
    case .period(let text):
      try refuseOptionsOfValues(with: difference)
      return try periods(query, versus: text)
    }
  }

  /// An option that says in what the sides differ, with its value.
  private enum Difference {
    case keys([String])
    case versions(String)
    case period(String)

    var option: String {
      switch self {
      case .keys: "--by"
      case .versions: "--versions"
      case .period: "--versus"
      }
    }
  }

  /// The given options that say in what the sides differ. A command line must have one of them.
  private var givenDifferences: [Difference] {
    [by.isEmpty ? nil : .keys(by), versions.map(Difference.versions), versus.map(Difference.period)].compactMap(\.self)
  }

  /// Throws `usage` if an option is given that goes only with `--by`.
  private func refuseOptionsOfValues(with difference: Difference) throws(FunnelError) {
    let other = difference.option
    if sides != nil { throw FunnelError(.usage, "--sides goes with --by, not with \(other), leave one of them out") }
    if ratio != nil {
      throw FunnelError(.usage, "--ratio goes with --by, not with \(other): nobody was assigned to the sides; leave it out")
    }
    if dropMixed {
      throw FunnelError(.usage, "--drop-mixed goes with --by, not with \(other): nobody is on two sides; leave it out")
    }
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
  private func values(_ query: ReportQuery, of keys: [String]) throws(FunnelError) -> ComparisonPlan {
    guard keys.count == 1, let key = keys.first else {
      throw FunnelError(.usage, "several keys, \(keys.map { "--by \($0.printable)" }.joined(separator: " ")), compare by one")
    }
    let dimension = try DimensionOption.dimension(key)
    guard dimension != .version else {
      throw FunnelError(.usage, "versions have an option of their own, --by version, write --versions 1,2")
    }
    if query.anchor == .best, dimension.calendarExample != nil { throw AnchorRule.noTime("--by \(dimension)") }
    var query = query
    query.by = [dimension]
    return ComparisonPlan(
      query, .values(named: try sides.map { (text) throws(FunnelError) in try Self.sides(text) }),
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
    let requested = ComparedPeriod(since..<until, in: query.timeZone)
    let other =
      text == "previous" ? requested.previous(isOpenEnded: query.until == nil) : try period(text, query)
    var query = query
    query.until = until
    // If both begin together, the period given with --versus is the baseline.
    let isRequestedEarlier = requested.range.lowerBound < other.range.lowerBound
    let baseline = isRequestedEarlier ? requested : other
    let later = isRequestedEarlier ? other : requested
    return ComparisonPlan(query, .periods(baseline: baseline, later: later), try settings(for: .period))
  }

  /// Parses a period `FROM..TO`.
  private func period(_ text: String, _ query: ReportQuery) throws(FunnelError) -> ComparedPeriod {
    guard let dots = text.firstRange(of: "..") else {
      throw FunnelError(
        .usage,
        "not a period, --versus \(text.printable), write previous, 2026-11-01..2026-11-08, or 14d..7d before now")
    }
    let period = PeriodOptions(of: query)
    let from = try period.moment(String(text[..<dots.lowerBound]), option: "--versus")
    let to = try period.moment(String(text[dots.upperBound...]), option: "--versus")
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
      part.utf8.allSatisfy(\.isASCIIDigit) ? Int(part) : nil
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
    let isNumber = text.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
    guard isNumber, let points = Double(text), points >= pointsMin, ComparisonSettings.changes.contains(points / 100) else {
      throw FunnelError(
        .usage, "not a number of points, --detect \(text.printable), write one from \(pointsMin) to 50, such as 5 or 0.5")
    }
    return points / 100
  }
}
