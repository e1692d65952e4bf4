import FunnelModel
import FunnelRendering

/// The sentences about drivers. They have no full stop.
struct DriversText {
  let row: DriversRow
  let noun: CountedNoun

  /// The sentence about a finding: the share of its groups, that of all others, and the difference in groups.
  func sentence(of driver: Driver) -> String {
    let own = HumanNumbers.percent(driver.rate.value)
    let rest = HumanNumbers.percent(driver.restRate.value)
    let count = HumanNumbers.count(Int(driver.lost.magnitude))
    return "\(own) of \(noun.plural) with \(Self.words(of: driver)) \(verb), \(rest) of all others: "
      + "\(count) \(driver.lost < 0 ? "more" : "fewer") \(participle)"
  }

  /// The sentence if there are no findings.
  var nothingFound: String {
    let tests = "\(HumanNumbers.count(row.tested)) \(row.tested == 1 ? "comparison" : "comparisons")"
    guard row.tested > 0 else {
      return
        "nothing to test: no value of a key has at least \(HumanNumbers.count(row.search.groupsMin)) \(noun.plural) with it "
        + "and as many without it"
    }
    let nothing = "nothing stands out: after \(tests), no condition differs by more than chance would explain"
    if case .named = row.search.keys { return nothing }
    return "\(nothing); --keys hour,weekday looks at the time of the start"
  }

  /// The sentence about the keys that were not used, or `nil` if all were.
  var leftOut: String? {
    guard !row.leftOut.isEmpty else { return nil }
    let keys = row.leftOut.map { "\($0.key) (\(reason($0.reason)))" }
    return "\(keys.count == 1 ? "1 key" : "\(keys.count) keys") left out: \(keys.joined(separator: ", "))"
  }

  private func reason(_ reason: DriverSearch.LeftOutKey.Reason) -> String {
    switch reason {
    case .tooManyValues(let max): "more than \(HumanNumbers.count(max)) values"
    case .tooManyValuesInLog(let max): "more than \(HumanNumbers.count(max)) values in the log"
    case .tooManyKeys(let max): "more than \(HumanNumbers.count(max)) keys"
    case .oneValue: "one value"
    case .noValue: "no value"
    case .fewGroups(let groupsMin): "no value with \(HumanNumbers.count(groupsMin)) \(noun.plural)"
    }
  }

  /// The conditions of a finding in words: `app version 5.2.0 and os iOS`.
  static func words(of driver: Driver) -> String {
    driver.conditions.map { "\(name(of: $0.key)) \($0.value.segmentLabel)" }.joined(separator: " and ")
  }

  /// The last part of a key in words: `app version`.
  private static func name(of key: Dimension) -> String {
    let text = key.description
    let last = text.firstIndex(of: ".").map { text[text.index(after: $0)...] } ?? text[...]
    return last.split(separator: "_").joined(separator: " ")
  }

  private var verb: String {
    switch row.search.share {
    case .conversion: "finish"
    case .reached: "reach \(row.label ?? "the step")"
    case .grantRate(let permission): "grant \(permission)"
    }
  }

  private var participle: String {
    switch row.search.share {
    case .conversion: "finished"
    case .reached: "reached it"
    case .grantRate: "granted it"
    }
  }
}
