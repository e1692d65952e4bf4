/// Random logs with few subjects and times, so that ties, repetitions and edge cases are frequent.
package enum RandomEvents {
  /// The lines that a log may have besides valid, distinct events.
  package struct Options: Sendable {
    /// Whether some lines are rejected.
    package var hasBadLines = true
    /// Whether events may have the id of another one, but another time or content; ingest decides which of them stays.
    package var hasConflicts = true

    package init(hasBadLines: Bool = true, hasConflicts: Bool = true) {
      self.hasBadLines = hasBadLines
      self.hasConflicts = hasConflicts
    }
  }

  /// Returns lines of flows of two apps.
  package static func lines(_ count: Int, _ options: Options = Options(), using random: inout some RandomNumberGenerator)
    -> [String]
  {
    var lines: [String] = []
    for number in 0..<count {
      if options.hasBadLines, Int.random(in: 0..<20, using: &random) == 0 {
        lines.append(badLine(using: &random))
      } else if !lines.isEmpty, Int.random(in: 0..<12, using: &random) == 0 {
        lines.append(lines.randomElement(using: &random) ?? "")
      } else {
        lines.append(event(number, options, using: &random))
      }
    }
    return lines
  }

  private static func event(_ number: Int, _ options: Options, using random: inout some RandomNumberGenerator) -> String {
    let isCleaner = Bool.random(using: &random)
    let event = (isCleaner ? cleanerEvents : smilepileEvents).randomElement(using: &random) ?? cleanerEvents[0]
    // Times are on four days, zero to five seconds after a multiple of six hours.
    let quarter = Int.random(in: 0..<16, using: &random)
    let second = Int.random(in: 0..<6, using: &random)
    let time = 1_794_787_200_000 + quarter * 21_600_000 + second * 1000
    var fields = ["\"app\":\"\(isCleaner ? "cleaner" : "smilepile")\"", event, "\"ts\":\(time)"]
    fields.append("\"subject\":\"s\(Int.random(in: 0..<12, using: &random))\"")
    if Bool.random(using: &random) { fields.append("\"seq\":\(Int.random(in: 0..<3, using: &random))") }
    if Bool.random(using: &random) { fields.append("\"attempt\":\"a\(Int.random(in: 0..<2, using: &random))\"") }
    if Bool.random(using: &random) {
      let id = options.hasConflicts ? Int.random(in: 0..<40, using: &random) : number
      fields.append("\"id\":\"i\(id)\"")
    }
    let variant = [#""A""#, #""B""#, "3", "3.0", "null"].randomElement(using: &random) ?? "null"
    if Bool.random(using: &random) { fields.append("\"ctx\":{\"variant\":\(variant)}") }
    return "{" + fields.shuffled(using: &random).joined(separator: ",") + "}"
  }

  private static let cleanerEvents =
    [
      #""name":"perm_flow_start""#, #""name":"perm_flow_start","props":{"trigger":"first_launch"}"#,
      #""name":"perm_flow_completed""#,
    ]
    + ["photos", "contacts", "push"].flatMap { permission in
      ["pre_prompt_shown", "pre_prompt_shown", "granted", "denied", "limited", "skipped"].map {
        "\"name\":\"perm_\(permission)_\($0)\""
      }
    } + [#""name":"perm_fotos_granted""#, #""name":"step_viewed","step":"all_set""#]

  private static let smilepileEvents =
    ["welcome", "categories", "photo_import", "pin_setup", "complete"].flatMap { step in
      ["viewed", "viewed", "completed", "back"].map { "\"name\":\"step_\($0)\",\"step\":\"\(step)\"" }
    } + [#""name":"onboarding_step","props":{"screen":"welcome"}"#, #""name":"onboarding_completed""#]

  private static func badLine(using random: inout some RandomNumberGenerator) -> String {
    [
      "{", "[]", #"{"name":"opened"}"#, #"{"name":"opened","ts":0,"subject":"s1","app":"cleaner"}"#,
      #"{"name":"opened","ts":1794787200000,"subject":"ann@example.org","app":"cleaner"}"#, "not a line",
    ].randomElement(using: &random) ?? "{"
  }
}
