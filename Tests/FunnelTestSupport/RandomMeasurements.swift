/// Logs of trendy/onboarding whose completions have properties with nearly as many values as there are events.
package struct RandomMeasurements {
  /// Whether the property `mixed` is sometimes a string or a boolean, so that an index can't measure it.
  package var hasTexts: Bool
  /// Whether a property has strings of many values.
  package var hasNames = false
  private var number = 0

  package init(hasTexts: Bool) { self.hasTexts = hasTexts }

  private static let steps = ["welcome", "auth", "create_event_type", "log_first_event", "permissions", "finish"]
  /// 2026-11-16T00:00:00Z.
  private static let start = 1_794_787_200_000

  /// Returns the events of some subjects, in the order of the subjects.
  package mutating func lines(subjects: Int, using random: inout SeededGenerator) -> [String] {
    (0..<subjects).flatMap { _ in events(using: &random) }
  }

  private mutating func events(using random: inout SeededGenerator) -> [String] {
    number += 1
    // Some subjects come again, in a later log too.
    let subject = Int.random(in: 0..<6, using: &random) == 0 ? Int.random(in: 0..<40, using: &random) : number + 1000
    let context = "{\"variant\":\"\(["A", "B"][subject % 2])\"}"
    var time = Self.start + Int.random(in: 0..<4 * 86_400_000, using: &random)
    var events: [String] = []
    func add(_ name: String, _ step: String, _ props: String) {
      events.append(
        "{\"name\":\"\(name)\",\"ts\":\(time),\"app\":\"trendy\",\"flow\":\"onboarding\",\"flow_version\":1,"
          + "\"subject\":\"s\(subject)\",\"step\":\"\(step)\",\"props\":\(props),\"ctx\":\(context)}")
    }
    for step in Self.steps.prefix(Int.random(in: 1...6, using: &random)) {
      // A duration is often all that an event has to say.
      let hasDuration = Int.random(in: 0..<4, using: &random) == 0
      add("step_viewed", step, hasDuration ? "{\"duration_ms\":\(Int.random(in: 3...60_000, using: &random))}" : "{}")
      time += Int.random(in: 0..<90_000, using: &random)
      if Int.random(in: 0..<9, using: &random) == 0 { add("step_failed", step, #"{"reason":"network"}"#) }
      add("step_completed", step, props(using: &random))
      // Some events have the same time.
      time += Int.random(in: 0..<3, using: &random) * 500
    }
    return events
  }

  private func props(using random: inout SeededGenerator) -> String {
    func isNow(_ share: Int) -> Bool { Int.random(in: 0..<share, using: &random) > 0 }
    var props: [String] = []
    if isNow(8) { props.append("\"duration_ms\":\(Int.random(in: 3...60_000, using: &random))") }
    if isNow(3) { props.append("\"few\":\(Int.random(in: 0..<4, using: &random))") }
    if isNow(9) { props.append("\"wide\":\(Self.wide(using: &random))") }
    if isNow(9) { props.append("\"mixed\":\(mixed(using: &random))") }
    if !isNow(5) { props.append("\"late é\":\(number * 1000 + Int.random(in: 0..<1000, using: &random))") }
    if hasNames { props.append("\"name\":\"n\(Int.random(in: 0..<1_000_000, using: &random))\"") }
    return "{\(props.shuffled(using: &random).joined(separator: ","))}"
  }

  /// Returns a number of any kind: a fraction, negative, without an exact double, huge or tiny.
  private static func wide(using random: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: "\(Int64.random(in: .min ... .max, using: &random))"
    case 1: "\(Int.random(in: -9_000_000...9_000_000, using: &random)).\(Int.random(in: 0..<100, using: &random))"
    case 2: "\(Int.random(in: 1..<100, using: &random))e\(Int.random(in: -300...300, using: &random))"
    // Whole numbers beyond 2^53, which are doubles.
    case 3: "\(9_007_199_254_740_992 + 2 * Int.random(in: 0..<900, using: &random)).0"
    case 4:
      [
        "-0.0", "0", "-0", "0.0", "-0e0", "1E+5", "12.50e1", "9007199254740993", "-9007199254740993", "9223372036854775807",
        "9223372036854775808", "18446744073709551615", "5e-324", "1.7976931348623157e308",
      ].randomElement(using: &random) ?? "1"
    default: "\(Int.random(in: -5000...5000, using: &random))"
    }
  }

  private func mixed(using random: inout SeededGenerator) -> String {
    if hasTexts, Int.random(in: 0..<50, using: &random) == 0 {
      return ["\"none\"", "true", "null", "\"12\"", "\"NaN\"", "\"-Infinity\"", "\"1e5\""].randomElement(using: &random)
        ?? "null"
    }
    return Int.random(in: 0..<40, using: &random) == 0 ? "null" : "\(Int.random(in: 0..<20_000, using: &random)).5"
  }
}
