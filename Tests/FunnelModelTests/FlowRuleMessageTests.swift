import FunnelModel
import Testing

/// Every message for a mistake in a rule, spelled out.
@Suite struct FlowRuleMessageTests {
  /// Returns the problems of a definition with a rule, each as the JSON path within the rule and the message.
  private func problems(_ rule: String) -> [String] {
    let text = """
      {"app":"a","flow":"f","version":1,"steps":[{"id":"one","asks":["p","q"]},{"id":"two"}],"events":{"started":{}},
       "outcomes":{"won":{"events":["won"],"success":true}},"rules":[
      \(rule)]}
      """
    switch FlowDefinition.read(json: Array(text.utf8), source: "f.json") {
    case .success: return []
    case .failure(let failure):
      #expect(failure.problems.allSatisfy { $0.position.line == 3 })
      return failure.problems.map { "\($0.position.column): \($0.path.dropFirst("$.rules[0]".count)): \($0.message)" }
    }
  }

  private static let kinds = FlowRule.Kind.allCases.map(\.rawValue).joined(separator: ", ")
  private static let suffixes = PermissionEventName.Suffix.allCases.map(\.rawValue).joined(separator: ", ")

  @Test(arguments: [
    (#""x""#, "1: : an object (a rule) is needed, not a string"),
    (#"{"step":"one"}"#, "1: : the key \"rule\" is missing, add it"),
    (#"{"rule":"infer_skp"}"#, "9: .rule: \"infer_skp\" is unknown here, did you mean \"infer_skip\"? allowed: \(kinds)"),
    (#"{"rule":"r"}"#, "9: .rule: \"r\" is unknown here, allowed: \(kinds)"),
    (#"{"rule":7}"#, "9: .rule: one of \(kinds) is needed, not a number"),
    (
      #"{"rule":"infer_skip","step":"one"}"#,
      "22: .step: unknown key \"step\", allowed: rule"
    ),
    (
      #"{"rule":"back_from","stps":["one"],"steps":["two"]}"#,
      "21: .stps: unknown key \"stps\", did you mean \"steps\"? allowed: rule, steps"
    ),
    (
      #"{"rule":"skip_delay","miliseconds":3,"milliseconds":3,"permissions":["p"]}"#,
      "22: .miliseconds: unknown key \"miliseconds\", did you mean \"milliseconds\"? allowed: from, milliseconds, permissions, rule, to"
    ),
  ])
  func `a rule that is unknown, or says what it can't`(rule: String, message: String) {
    #expect(problems(rule) == [message])
  }

  @Test func `rules that are no array`() {
    let text = #"{"app":"a","flow":"f","version":1,"steps":[{"id":"one"}],"rules":{}}"#
    guard case .failure(let failure) = FlowDefinition.read(json: Array(text.utf8), source: "f.json") else {
      Issue.record("accepted")
      return
    }
    #expect(failure.problems.map(\.description) == ["f.json:1:66: $.rules: an array of rules is needed, not an object"])
  }

  @Test(arguments: [
    ("advance_when_all_handled", ["step", "to", "permissions"]),
    ("auto_verify_after", ["connections", "period", "event", "method"]),
    ("back_from", ["steps"]), ("dialog_after", ["permissions"]), ("failure_reason", ["event", "reason"]),
    ("grant_undisclosed", ["permission", "note"]), ("limited_hint", ["permission", "hint"]),
    ("limited_is_access", ["permissions"]), ("locked_when", ["decisions"]), ("manual_entry_on_denied", ["step", "permission"]),
    ("max_items", ["step", "prop", "maximum"]), ("min_items", ["step", "prop", "minimum"]), ("no_personal_data", ["keys"]),
    ("only_if_all_granted", ["step", "permissions"]), ("permission_order", ["step", "permissions"]),
    ("permission_progress", ["step", "permissions", "progress"]), ("recovered_via_settings", ["event"]),
    ("skip_delay", ["milliseconds", "permissions"]), ("skippable", ["steps"]), ("start_trigger", ["event", "prop"]),
  ])
  func `a rule that lacks what it needs`(kind: String, keys: [String]) {
    #expect(problems("{\"rule\":\"\(kind)\"}") == keys.map { "1: : the key \"\($0)\" is missing, add it" })
  }

  @Test(arguments: [
    (
      #"{"rule":"back_from","steps":["one","ona"]}"#,
      "36: .steps[1]: the flow has no step \"ona\", did you mean \"one\"? allowed: one, two"
    ),
    (
      #"{"rule":"advance_when_all_handled","step":"one","to":"there","permissions":["p"]}"#,
      "54: .to: the flow has no step \"there\", allowed: one, two"
    ),
    (
      #"{"rule":"grant_undisclosed","permission":"photos","note":"n"}"#,
      "42: .permission: the flow has no permission \"photos\", allowed: p, q"
    ),
    (
      #"{"rule":"limited_is_access","permissions":["p","qq"]}"#,
      "48: .permissions[1]: the flow has no permission \"qq\", did you mean \"q\"? allowed: p, q"
    ),
    (
      #"{"rule":"permission_order","step":"two","permissions":["p"]}"#,
      "56: .permissions[0]: the step does not ask for \"p\", it asks for none"
    ),
    (
      #"{"rule":"failure_reason","event":"startd","reason":"r"}"#,
      "34: .event: the flow declares no event \"startd\", did you mean \"started\"? name it in \"events\", in \"outcomes\" or at a step"
    ),
    (
      #"{"rule":"failure_reason","event":"sunshine","reason":"r"}"#,
      "34: .event: the flow declares no event \"sunshine\", name it in \"events\", in \"outcomes\" or at a step"
    ),
  ])
  func `a rule that names what the flow does not have`(rule: String, message: String) {
    #expect(problems(rule) == [message])
  }

  @Test func `a rule that names permissions of a flow without any`() {
    let text = """
      {"app":"a","flow":"f","version":1,"steps":[{"id":"one"}],"rules":[{"rule":"limited_is_access","permissions":["x"]}]}
      """
    guard case .failure(let failure) = FlowDefinition.read(json: Array(text.utf8), source: "f.json") else {
      Issue.record("accepted")
      return
    }
    #expect(failure.problems.map(\.message) == ["the flow has no permission \"x\", it has none"])
  }

  @Test(arguments: [
    (
      #"{"rule":"skip_delay","milliseconds":"soon","permissions":["p"]}"#,
      "37: .milliseconds: a whole number from 0 is needed, not a string"
    ),
    (
      #"{"rule":"skip_delay","milliseconds":1,"to":"skiped","permissions":["p"]}"#,
      "44: .to: \"skiped\" is unknown here, did you mean \"skipped\"? allowed: \(suffixes)"
    ),
    (
      #"{"rule":"dialog_after","button":"tapped","permissions":["p"]}"#,
      "33: .button: \"tapped\" is unknown here, allowed: \(suffixes)"
    ),
    (
      #"{"rule":"limited_is_access","permissions":"p"}"#, "43: .permissions: an array of names is needed, not a string"
    ),
    (
      #"{"rule":"limited_is_access","permissions":[]}"#,
      "43: .permissions: the array is empty, at least one element is needed"
    ),
    (
      #"{"rule":"limited_is_access","permissions":["p","p"]}"#, "48: .permissions[1]: \"p\" is listed twice, remove one"
    ),
    (#"{"rule":"back_from","steps":"one"}"#, "29: .steps: an array of names is needed, not a string"),
    (#"{"rule":"grant_undisclosed","permission":1,"note":"n"}"#, "42: .permission: a name is needed, not a number"),
    (
      #"{"rule":"grant_undisclosed","permission":"p","note":""}"#,
      "53: .note: the string is empty, at least one character is needed"
    ),
    (
      #"{"rule":"locked_when","decisions":["denid"]}"#,
      "36: .decisions[0]: \"denid\" is unknown here, did you mean \"denied\"? allowed: limited, denied, skipped, unanswered"
    ),
    (
      #"{"rule":"locked_when","decisions":["denied","denied"]}"#,
      "45: .decisions[1]: \"denied\" is listed twice, remove one"
    ),
    (#"{"rule":"locked_when","decisions":"denied"}"#, "35: .decisions: an array of decisions is needed, not a string"),
    (
      #"{"rule":"permission_progress","step":"one","permissions":["p","q"],"progress":[0.5]}"#,
      "79: .progress: 1 number for 2 permissions, give one for each"
    ),
    (
      #"{"rule":"permission_progress","step":"one","permissions":["p"],"progress":[1.5]}"#,
      "76: .progress[0]: a number from 0 to 1 is needed, not 1.5"
    ),
    (
      #"{"rule":"permission_progress","step":"one","permissions":["p"],"progress":0.5}"#,
      "75: .progress: an array of numbers from 0 to 1 is needed, not a number"
    ),
    (
      #"{"rule":"pre_alert_without_alert","kind":"camera"}"#,
      "42: .kind: \"kind\" is given without permissions, add the key \"permissions\""
    ),
    (
      #"{"rule":"pre_alert_without_alert","permissions":["p"],"kind":"camra"}"#,
      "62: .kind: \"camra\" is unknown here, did you mean \"camera\"? allowed: camera, microphone, location, contacts, calendar, tracking"
    ),
    (
      #"{"rule":"auto_verify_after","connections":0,"period":"day","event":"won","method":"m"}"#,
      "43: .connections: a whole number from 1 is needed, not 0"
    ),
    (
      #"{"rule":"auto_verify_after","connections":1,"period":"hour","event":"won","method":"m"}"#,
      "54: .period: \"hour\" is unknown here, allowed: day, week, month"
    ),
    (
      #"{"rule":"no_personal_data","keys":["--"]}"#,
      "36: .keys[0]: \"--\" has no letter and no digit, at least one is needed"
    ),
    (#"{"rule":"no_personal_data","keys":["pin","pin"]}"#, "42: .keys[1]: \"pin\" is listed twice, remove one"),
    (#"{"rule":"failure_reason","event":"won","reason":"r","types":[1]}"#, "62: .types[0]: a string is needed, not a number"),
    (
      #"{"rule":"manual_entry_on_denied","step":"one","permission":"p","or_without":"Wi-Fi"}"#,
      "77: .or_without: \"Wi-Fi\" is not a valid name, allowed: a lower-case letter, then up to 99 lower-case letters, digits and underscores"
    ),
  ])
  func `a parameter that is wrong`(rule: String, message: String) {
    #expect(problems(rule) == [message])
  }

  @Test func `what a rule names is not looked for in steps that could not be read`() {
    let text = """
      {"app":"a","flow":"f","version":1,"steps":[{"id":"One"}],"rules":[{"rule":"back_from","steps":["one"]}]}
      """
    guard case .failure(let failure) = FlowDefinition.read(json: Array(text.utf8), source: "f.json") else {
      Issue.record("accepted")
      return
    }
    #expect(failure.problems.map(\.path) == ["$.steps[0].id"])
  }
}
