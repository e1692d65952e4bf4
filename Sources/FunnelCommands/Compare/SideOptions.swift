import ArgumentParser
import FunnelModel
import FunnelReports

/// The options that say what is compared with what.
struct SideOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Compare two values of ctx.KEY, props.KEY, step.ID.props.KEY, step.ID.ctx.KEY, day, week, month, hour or weekday.",
      valueName: "key"))
  var by: [String] = []

  @Option(
    help: ArgumentHelp(
      "The two values of --by, the baseline first (default: both, where there are two; \\, is a comma, nothing is absent).",
      valueName: "a,b"))
  var sides: String?

  @Option(help: ArgumentHelp("Compare two versions of a flow, the baseline first.", valueName: "a,b"))
  var versions: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Compare --since to --until with this period, the baseline; each end as --since takes it.", valueName: "from..to"))
  var versus: String?

  @Option(help: ArgumentHelp("What the sizes of the values should be to each other (default: 50:50).", valueName: "a:b"))
  var ratio: String?

  @Flag(help: "Count groups whose window is still open, too.")
  var openToo = false

  /// Returns what is compared in the groups that a query covers.
  func plan(for query: ReportQuery) throws(FunnelError) -> ComparisonPlan {
    var query = query
    query.isMature = !openToo
    let given = [("--by", !by.isEmpty), ("--versions", versions != nil), ("--versus", versus != nil)].filter(\.1).map(\.0)
    guard let way = given.first else {
      throw FunnelError(
        .usage,
        "nothing to compare, funnel compare, give one of --by KEY, --versions A,B, or --since A --until B --versus C..D")
    }
    guard given.count == 1 else {
      throw FunnelError(
        .usage, "\(given.count) ways to compare, \(given.joined(separator: " and ")), give one of them")
    }
    if sides != nil, way != "--by" {
      throw FunnelError(.usage, "--sides goes with --by, not with \(way), leave one of them out")
    }
    if ratio != nil, way != "--by" {
      throw FunnelError(.usage, "--ratio goes with --by, not with \(way): nobody assigned these groups; leave it out")
    }
    if let versions { return ComparisonPlan(query, .versions(try Self.versions(versions))) }
    if let versus { return try periods(query, versus: versus) }
    return try values(query)
  }

  private func values(_ query: ReportQuery) throws(FunnelError) -> ComparisonPlan {
    guard by.count == 1 else {
      throw FunnelError(.usage, "several keys, \(by.map { "--by \($0.printable)" }.joined(separator: " ")), compare by one")
    }
    let dimension = try DimensionOption.dimension(by[0])
    guard dimension != .version else {
      throw FunnelError(.usage, "versions have an option of their own, --by version, write --versions 1,2")
    }
    var query = query
    query.by = [dimension]
    return ComparisonPlan(
      query,
      .values(
        asked: try sides.map { (text) throws(FunnelError) in try Self.sides(text) },
        ratio: try ratio.map { (text) throws(FunnelError) in try Self.ratio(text) } ?? .even))
  }

  private func periods(_ query: ReportQuery, versus text: String) throws(FunnelError) -> ComparisonPlan {
    guard let since = query.since, let until = query.until else {
      throw FunnelError(
        .usage,
        "no period to compare with, --versus \(text.printable), give --since and --until too; --versus is the baseline")
    }
    let moments = MomentOption(now: query.now, timeZone: query.timeZone)
    guard let dots = text.firstRange(of: "..") else {
      throw FunnelError(
        .usage,
        "not a period, --versus \(text.printable), write it as 2026-11-01..2026-11-08, or 14d..7d before now")
    }
    guard let from = try moments.moment(String(text[..<dots.lowerBound]), option: "--versus"),
      let to = try moments.moment(String(text[dots.upperBound...]), option: "--versus")
    else { preconditionFailure("a text is a moment or an error") }
    guard from < to else {
      throw FunnelError(.usage, "an empty period, --versus \(text.printable), \(from) is not before \(to), swap or widen them")
    }
    return ComparisonPlan(query, .periods(baseline: from..<to, since..<until))
  }

  private static func sides(_ text: String) throws(FunnelError) -> [ConditionItem] {
    let items = ConditionItem.list(text)
    guard items.count == 2 else {
      throw FunnelError(
        .usage, "not two sides, --sides \(text.printable), write them as A,B with the baseline first; \\, is a comma in a value"
      )
    }
    guard items[0] != items[1] else {
      throw FunnelError(.usage, "twice the same side, --sides \(text.printable), name two values")
    }
    return items
  }

  private static func versions(_ text: String) throws(FunnelError) -> (a: Int, b: Int) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(part) : nil
    }
    guard parts.count == 2, let a = parts[0], let b = parts[1], a >= 1, b >= 1 else {
      throw FunnelError(
        .usage, "not two versions, --versions \(text.printable), write them as 1,2 with the baseline first")
    }
    guard a != b else { throw FunnelError(.usage, "twice the same version, --versions \(text.printable), name two") }
    return (a, b)
  }

  private static func ratio(_ text: String) throws(FunnelError) -> SideRatio {
    if let ratio = SideRatio(text) { return ratio }
    throw FunnelError(
      .usage, "not a ratio, --ratio \(text.printable), write it as 50:50 or 1:2, each number from 0.000001 to 1000000")
  }
}
