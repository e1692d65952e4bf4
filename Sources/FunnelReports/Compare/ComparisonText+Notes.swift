import FunnelModel
import FunnelRendering

extension ComparisonText {
  /// Returns sentences about the groups that a row excludes or is restricted to, with the options that change this.
  static func notes(of row: ComparisonRow) -> [String] {
    [sameAge(row), reach(row), withoutValue(row), otherValue(row), mixed(row), inProgress(row)].compactMap { $0 }
      + row.otherWays
  }

  private static func sameAge(_ row: ComparisonRow) -> String? {
    guard let sameAge = row.context.sameAge else { return nil }
    let moment = sameAge.baselineMoment.map { ", with its events up to \($0)," } ?? ""
    let cut = sameAge.cutBaseline.map { ". The rest of \($0) is not compared" } ?? ""
    return "Both periods are compared at the same age: \(row.a.title)\(moment) when it was as old as \(row.b.title) is now. "
      + "Everybody who had begun by then counts, in progress or not\(cut)"
  }

  /// Returns a sentence about the groups that a comparison by the value at a step covers, or `nil` if it covers all.
  private static func reach(_ row: ComparisonRow) -> String? {
    guard case .key(.step(let step, _)) = row.by, row.context.withoutValue > 0, let whole = row.context.wholeFlow.rate else {
      return nil
    }
    let reached = whole.denominator - row.context.withoutValue
    let of = "\(HumanNumbers.count(reached)) of \(row.noun.counted(whole.denominator))"
    return
      "This is about the \(of) who got to step \(step) and have a value there; the conversion of the whole flow is \(HumanNumbers.percent(whole.value))"
  }

  private static func withoutValue(_ row: ComparisonRow) -> String? {
    let count = row.context.withoutValue
    guard count > 0, case .key(let dimension) = row.by else { return nil }
    if case .step = dimension { return nil }
    let who = "\(HumanNumbers.count(count)) of \(row.noun.counted(row.context.wholeFlow.total)) \(count == 1 ? "has" : "have")"
    let areLeftOut = count == 1 ? "is left out" : "are left out"
    if row.context.takesLaterValues { return "\(who) no \(dimension) within the window and \(areLeftOut)" }
    let later = min(row.context.withLaterValue, count)
    let remedy =
      later == 0
      ? ""
      : "; \(HumanNumbers.count(later)) of them \(later == 1 ? "has" : "have") one later, --attribution known counts "
        + "\(later == 1 ? "this one" : "them") by it"
    return "\(who) no \(dimension) at the first step and \(areLeftOut)\(remedy)"
  }

  private static func otherValue(_ row: ComparisonRow) -> String? {
    let count = row.context.withOtherValue
    guard count > 0 else { return nil }
    return "\(row.noun.counted(count)) \(count == 1 ? "has" : "have") another \(row.by.name) and "
      + "\(count == 1 ? "is" : "are") left out; --sides names the values that are compared"
  }

  private static func mixed(_ row: ComparisonRow) -> String? {
    guard row.mixed > 0 else { return nil }
    let several = "\(row.noun.counted(row.mixed)) \(row.mixed == 1 ? "has" : "have") more than one \(row.by.name)"
    return row.context.dropsMixed
      ? "\(several) and \(row.mixed == 1 ? "is" : "are") left out, as --drop-mixed says"
      : "\(several); \(row.mixed == 1 ? "this one counts" : "each counts") under the first; --drop-mixed leaves them out"
  }

  private static func inProgress(_ row: ComparisonRow) -> String? {
    let count = row.a.inProgress + row.b.inProgress
    // If a side is empty, the verdict has this information.
    guard count > 0, row.a.entered > 0, row.b.entered > 0 else { return nil }
    return "\(row.noun.counted(count)) \(count == 1 ? "is" : "are") in progress and not counted yet; "
      + "--open-too counts them, as not converted so far"
  }
}
