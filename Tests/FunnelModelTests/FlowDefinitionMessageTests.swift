import FunnelModel
import Testing

/// Every message for a mistake in a definition, spelled out.
@Suite struct FlowDefinitionMessageTests {
  private static let nameRule = "allowed: a lower-case letter, then up to 99 lower-case letters, digits and underscores"
  private static let keys =
    "allowed: app, app_versions, count_by, events, exclude, flow, from_flows, locks, notes, outcomes, retention, rules, steps, title, upcasts, version, versions, window"

  private func problems(_ json: String) -> [String] {
    switch FlowDefinition.read(json: Array(json.utf8), source: "f.json") {
    case .success: []
    case .failure(let failure): failure.problems.map { String($0.description.dropFirst("f.json:1:".count)) }
    }
  }

  /// Returns the problems of a valid definition with one member added or replaced.
  private func problems(with member: String) -> [String] {
    problems("{\(member),\(Self.sound(without: member))}")
  }

  private static func sound(without member: String) -> String {
    let members = [#""app":"a""#, #""flow":"f""#, #""version":1"#, #""steps":[{"id":"one","asks":["p"]},{"id":"two"}]"#]
    let key = member.prefix { $0 != ":" }
    return members.filter { !$0.hasPrefix("\(key):") }.joined(separator: ",")
  }

  @Test func `a text that is not JSON`() {
    #expect(problems(#"{"app":"a""#) == ["11: $: not JSON: a comma or a closing brace is missing here"])
    #expect(problems("") == ["1: $: not JSON: a value is missing: the text ends here"])
    #expect(problems("[]") == ["1: $: an object is needed, not an array"])
  }

  @Test func `a file that is too large`() {
    let bytes = [UInt8](repeating: 32, count: Limits.configurationBytesMax + 1)
    let error = #expect(throws: FunnelError.self) { try FlowDefinition(json: bytes, source: "f.json") }
    #expect(error?.message == "f.json:1:1: $: the file has 4194305 bytes, at most 4194304 are allowed")
  }

  @Test func `a line and a column that lie further on, counted in code points`() throws {
    let text = "{\n  \"app\": \"é\", \"flo\": 1}"
    guard case .failure(let failure) = FlowDefinition.read(json: Array(text.utf8), source: "f.json") else {
      Issue.record("accepted")
      return
    }
    #expect(failure.problems.map { "\($0.position.line):\($0.position.column)" } == ["1:1", "1:1", "1:1", "2:10", "2:15"])
  }

  @Test func `keys that are missing or unknown`() {
    #expect(
      problems("{}") == [
        "1: $: the key \"app\" is missing, add it", "1: $: the key \"flow\" is missing, add it",
        "1: $: the key \"version\" is missing, add it", "1: $: the key \"steps\" is missing, add it",
      ])
    #expect(problems(with: #""windw":"7d""#) == ["2: $.windw: unknown key \"windw\", did you mean \"window\"? \(Self.keys)"])
    #expect(problems(with: #""a b\n":1"#) == [#"2: $["a b\u{a}"]: unknown key "a b\u{a}", \#(Self.keys)"#])
  }

  @Test(arguments: [
    (#""app":"Cleaner""#, "8: $.app: \"Cleaner\" is not a valid name, \(nameRule)"),
    (
      #""app":"\#(String(repeating: "a", count: 101))""#,
      "8: $.app: \"\(String(repeating: "a", count: 80))…\" is not a valid name, \(nameRule)"
    ),
    (#""flow":7"#, "9: $.flow: a name is needed, not a number"),
    (#""version":0"#, "12: $.version: a whole number from 1 is needed, not 0"),
    (#""version":1.5"#, "12: $.version: a whole number from 1 is needed, not 1.5"),
    (#""version":"1""#, "12: $.version: a whole number from 1 is needed, not a string"),
    (#""title":"""#, "10: $.title: the string is empty, at least one character is needed"),
    (#""title":null"#, "10: $.title: a string is needed, not null"),
    (
      #""window":"7 days""#,
      "11: $.window: \"7 days\" is not a length of time, allowed: a whole number and a unit, as in 500ms, 90s, 30m, 12h, 7d, 2w; at most 3650d"
    ),
    (
      #""window":"0d""#,
      "11: $.window: \"0d\" is not a length of time, allowed: a whole number and a unit, as in 500ms, 90s, 30m, 12h, 7d, 2w; at most 3650d"
    ),
    (#""window":7"#, "11: $.window: a length of time such as \"7d\" is needed, not a number"),
    (
      #""count_by":"subjct""#,
      "13: $.count_by: \"subjct\" is unknown here, did you mean \"subject\"? allowed: person, subject, attempt, entry"
    ),
    (#""count_by":"x""#, "13: $.count_by: \"x\" is unknown here, allowed: person, subject, attempt, entry"),
    (#""count_by":true"#, "13: $.count_by: one of person, subject, attempt, entry is needed, not a boolean"),
    (#""app_versions":5.2"#, "17: $.app_versions: a range of versions such as \">=5.2\" is needed, not a number"),
    (
      #""app_versions":"5.2""#,
      "17: $.app_versions: \"5.2\" is not a range of versions, allowed: bounds such as \">=5.2\", \"<5.2\" or \">=3 <5.2\""
    ),
    (
      #""app_versions":">=5 <3""#,
      "17: $.app_versions: no version matches \">=5 <3\", as its bounds exclude each other, fix them"
    ),
    (
      #""from_flows":"onboarding""#,
      "15: $.from_flows: an array of flow names, or \"*\" for every flow, is needed, not a string"
    ),
    (
      #""from_flows":["*"]"#, "16: $.from_flows[0]: \"*\" stands for every flow, write it alone: \"from_flows\": \"*\""
    ),
    (
      #""from_flows":["g","f"]"#,
      "20: $.from_flows[1]: \"f\" is the flow itself, whose events are counted anyway, remove it"
    ),
    (#""from_flows":["g","g"]"#, "20: $.from_flows[1]: \"g\" is listed twice, remove one"),
    (#""versions":"props.sdk""#, "13: $.versions: an array of keys such as \"props.sdk\" is needed, not a string"),
    (#""versions":["sdk"]"#, "14: $.versions[0]: \"sdk\" is not a key of events, allowed: props.<key>, ctx.<key>"),
    (#""versions":["props.a","props.a"]"#, "24: $.versions[1]: \"props.a\" is listed twice, remove one"),
    (#""versions":[1]"#, "14: $.versions[0]: a key such as \"props.sdk\" is needed, not a number"),
    (#""from_flows":[1]"#, "16: $.from_flows[0]: a name is needed, not a number"),
    (#""notes":"x""#, "10: $.notes: an array of strings is needed, not a string"),
    (#""notes":[1]"#, "11: $.notes[0]: a string is needed, not a number"),
    (
      #""retention":{"event":"3d"}"#,
      "15: $.retention.event: unknown key \"event\", did you mean \"events\"? allowed: also, events, snapshots"
    ),
    (
      #""retention":{"also":["mood_*"]}"#,
      "22: $.retention.also: \"also\" names events, but not how long they are kept, add the key \"events\""
    ),
    (
      #""retention":{"events":"3d","also":"mood_*"}"#,
      "36: $.retention.also: an array of event names such as \"mood_*\" is needed, not a string"
    ),
    (
      #""retention":{"events":"3d","also":[]}"#,
      "36: $.retention.also: the array is empty, at least one element is needed"
    ),
    (
      #""retention":{"events":"3d","also":[7]}"#,
      "37: $.retention.also[0]: an event name such as \"mood_*\" is needed, not a number"
    ),
    (
      #""retention":{"events":"3d","also":["mood-*"]}"#,
      "37: $.retention.also[0]: \"mood-*\" is not a pattern of event names, allowed: a name in which * stands for any characters and ? for one"
    ),
    (
      #""retention":{"events":"3d","also":["_*?"]}"#,
      "37: $.retention.also[0]: \"_*?\" is not a pattern of event names, allowed: a name in which * stands for any characters and ? for one"
    ),
    (
      #""retention":{"events":"3d","also":["*_logged","*_logged"]}"#,
      "48: $.retention.also[1]: \"*_logged\" is listed twice, remove one"
    ),
  ])
  func `a top-level value that is wrong`(member: String, message: String) {
    #expect(problems(with: member) == [message])
  }

  @Test(arguments: [
    ("{}", "10: $.steps: an array of steps is needed, not an object"),
    ("[]", "10: $.steps: a flow needs steps, at least one of them required"),
    ("[3]", "11: $.steps[0]: an object (a step) is needed, not a number"),
    ("[{}]", "11: $.steps[0]: the key \"id\" is missing, add it"),
    (
      #"[{"id":"a","ask":["p"]}]"#,
      "21: $.steps[0].ask: unknown key \"ask\", did you mean \"asks\"? allowed: asks, entered_by, id, label, min_gap, optional, permission, progress, props, required, window"
    ),
    (#"[{"id":"a"},{"id":"a"}]"#, "28: $.steps[1].id: the step id \"a\" is already used by the step in line 1, choose another"),
    (#"[{"id":"a","optional":true}]"#, "10: $.steps: every step is optional, at least one must be required"),
    (#"[{"id":"a","optional":1}]"#, "32: $.steps[0].optional: true or false is needed, not a number"),
    (
      #"[{"id":"a","permission":"p","entered_by":["x"]}]"#,
      "51: $.steps[0].entered_by: a step has either \"entered_by\" or \"permission\", remove one"
    ),
    (#"[{"id":"a","entered_by":[]}]"#, "34: $.steps[0].entered_by: the array is empty, at least one element is needed"),
    (#"[{"id":"a","entered_by":"x"}]"#, "34: $.steps[0].entered_by: an array of event names is needed, not a string"),
    (
      #"[{"id":"a","entered_by":[1]}]"#,
      "35: $.steps[0].entered_by[0]: an event name or {\"event\":…,\"where\":…} is needed, not a number"
    ),
    (
      #"[{"id":"a","entered_by":[{"where":{"step":"a"}}]}]"#,
      "35: $.steps[0].entered_by[0]: the key \"event\" is missing, add it"
    ),
    (
      #"[{"id":"a","entered_by":[{"event":"x","where":{"prop.y":1}}]}]"#,
      "57: $.steps[0].entered_by[0].where[\"prop.y\"]: unknown field \"prop.y\", allowed: step, props.<key>, ctx.<key>"
    ),
    (
      #"[{"id":"a","entered_by":[{"event":"x","where":{"props.y":[]}}]}]"#,
      "67: $.steps[0].entered_by[0].where[\"props.y\"]: a string, number, boolean or null is needed, not an array"
    ),
    (
      #"[{"id":"a","entered_by":[{"event":"x","where":{"props.y":1e999}}]}]"#,
      "67: $.steps[0].entered_by[0].where[\"props.y\"]: the number 1e999 is too large"
    ),
    (
      #"[{"id":"a","entered_by":[{"event":"x","where":{}}]}]"#,
      "56: $.steps[0].entered_by[0].where: the object is empty, at least one condition is needed"
    ),
    (#"[{"id":"a","asks":[]}]"#, "28: $.steps[0].asks: the array is empty, at least one element is needed"),
    (#"[{"id":"a","asks":"p"}]"#, "28: $.steps[0].asks: an array of names is needed, not a string"),
    (#"[{"id":"a","asks":["p","p"]}]"#, "33: $.steps[0].asks[1]: \"p\" is listed twice, remove one"),
    (
      #"[{"id":"a","asks":[1]}]"#,
      "29: $.steps[0].asks[0]: a permission or {\"permission\":…,\"primed_by\":\"step\"} is needed, not a number"
    ),
    (
      #"[{"id":"a","asks":["p",{"permission":"p","primed_by":"step"}]}]"#,
      "33: $.steps[0].asks[1]: \"p\" is listed twice, remove one"
    ),
    (
      #"[{"id":"a","asks":[{"permission":"p","primed_by":"stap"}]}]"#,
      "59: $.steps[0].asks[0].primed_by: \"stap\" is unknown here, did you mean \"step\"? allowed: step"
    ),
    (#"[{"id":"a","asks":[{"primed_by":"step"}]}]"#, "29: $.steps[0].asks[0]: the key \"permission\" is missing, add it"),
    (
      #"[{"id":"a","asks":[{"permission":"p","primed":1}]}]"#,
      "47: $.steps[0].asks[0].primed: unknown key \"primed\", did you mean \"primed_by\"? allowed: permission, primed_by"
    ),
    (#"[{"id":"a","props":[]}]"#, "29: $.steps[0].props: an object of schemas by property is needed, not an array"),
    (#"[{"id":"a","required":"n"}]"#, "32: $.steps[0].required: an array of strings is needed, not a string"),
    (#"[{"id":"a","required":["n","n"]}]"#, "37: $.steps[0].required[1]: \"n\" is listed twice, remove one"),
    (#"[{"id":"a","progress":1.5}]"#, "32: $.steps[0].progress: a number from 0 to 1 is needed, not 1.5"),
    (
      #"[{"id":"a"},{"id":"b","window":"7 days"}]"#,
      "41: $.steps[1].window: \"7 days\" is not a length of time, allowed: a whole number and a unit, as in 500ms, 90s, 30m, 12h, 7d, 2w; at most 3650d"
    ),
    (
      #"[{"id":"a"},{"id":"b","min_gap":2}]"#,
      "42: $.steps[1].min_gap: a length of time such as \"7d\" is needed, not a number"
    ),
    (
      #"[{"id":"a"},{"id":"b","optional":true,"window":"1h"}]"#,
      "57: $.steps[1].window: an optional step can't have a time limit, remove \"window\""
    ),
    (
      #"[{"id":"a","optional":true},{"id":"b","min_gap":"1s"}]"#,
      "58: $.steps[1].min_gap: the first required step has no step before it, remove \"min_gap\""
    ),
    (
      #"[{"id":"a"},{"id":"b","min_gap":"2m","window":"90s"}]"#,
      "42: $.steps[1].min_gap: \"min_gap\" is above \"window\" (90s), so no event can match, change one of them"
    ),
  ])
  func `a step that is wrong`(steps: String, message: String) {
    #expect(problems(with: "\"steps\":\(steps)") == [message])
  }

  @Test func `too many steps and too many permissions`() {
    let steps = (0...64).map { "{\"id\":\"s\($0)\"}" }.joined(separator: ",")
    #expect(problems(with: "\"steps\":[\(steps)]") == ["10: $.steps: 65 steps, at most 64 are allowed"])
    let permissions = (0...64).map { "\"p\($0)\"" }.joined(separator: ",")
    #expect(
      problems(with: "\"steps\":[{\"id\":\"a\",\"asks\":[\(permissions)]}]") == [
        "10: $.steps: 65 permissions, at most 64 are allowed"
      ])
  }

  @Test(arguments: [
    ("{}", "12: $.exclude: an array of exclusions is needed, not an object"),
    (#"["x"]"#, "13: $.exclude[0]: an object (an exclusion) is needed, not a string"),
    (#"[{"after":"one"}]"#, "13: $.exclude[0]: the key \"event\" is missing, add it"),
    (#"[{"event":"X"}]"#, "22: $.exclude[0].event: \"X\" is not a valid name, \(nameRule)"),
    (
      #"[{"event":"x","until":"two"}]"#,
      "26: $.exclude[0].until: unknown key \"until\", allowed: after, before, event"
    ),
    (
      #"[{"event":"x","after":"ona"}]"#,
      "34: $.exclude[0].after: the flow has no required step \"ona\", did you mean \"one\"? allowed: one, two"
    ),
    (
      #"[{"event":"x","before":"three"}]"#,
      "35: $.exclude[0].before: the flow has no required step \"three\", allowed: one, two"
    ),
    (
      #"[{"event":"x","after":"two","before":"one"}]"#,
      "13: $.exclude[0]: the step \"two\" does not come before \"one\", so nothing is between them, name two required steps in the order of the flow"
    ),
    (
      #"[{"event":"x","after":"two"}]"#,
      "13: $.exclude[0]: the step \"two\" does not come before \"two\", so nothing is between them, name two required steps in the order of the flow"
    ),
    (#"[{"event":"x"},{"event":"x"}]"#, "27: $.exclude[1]: the exclusion is listed twice, remove one"),
  ])
  func `an exclusion that is wrong`(exclude: String, message: String) {
    #expect(problems(with: "\"exclude\":\(exclude)") == [message])
  }

  @Test func `more exclusions than are told apart`() {
    let exclusions = (0..<9).map { "{\"event\":\"x\($0)\"}" }.joined(separator: ",")
    #expect(problems(with: "\"exclude\":[\(exclusions)]") == ["12: $.exclude: 9 exclusions, at most 8 are allowed"])
    let outcomes = (0..<65).map { "\"o\($0)\":{\"events\":[\"e\"],\"success\":false}" }.joined(separator: ",")
    #expect(problems(with: "\"outcomes\":{\(outcomes)}") == ["13: $.outcomes: 65 outcomes, at most 64 are allowed"])
  }

  @Test func `an optional step bounds no exclusion`() {
    #expect(
      problems(
        #"{"app":"a","flow":"f","version":1,"steps":[{"id":"one"},{"id":"mid","optional":true},{"id":"two"}],"exclude":[{"event":"x","after":"mid"}]}"#
      ) == ["132: $.exclude[0].after: the flow has no required step \"mid\", allowed: one, two"])
  }

  @Test(arguments: [
    (#""locks":[]"#, "10: $.locks: an object of features by permission is needed, not an array"),
    (#""locks":{"q":[]}"#, "11: $.locks.q: the flow has no permission \"q\", did you mean \"p\"? allowed: p"),
    (#""locks":{"p":["X"]}"#, "16: $.locks.p[0]: \"X\" is not a valid name, \(nameRule)"),
  ])
  func `a lock that is wrong`(member: String, message: String) {
    #expect(problems(with: member) == [message])
  }

  @Test(arguments: [
    (#""events":[]"#, "11: $.events: an object of events by name is needed, not an array"),
    (#""events":{"X":{}}"#, "12: $.events.X: the key \"X\" is not a valid name, \(nameRule)"),
    (
      #""events":{"x":{"prop":{}}}"#,
      "17: $.events.x.prop: unknown key \"prop\", did you mean \"props\"? allowed: props, required, steps"
    ),
    (#""events":{"x":{"props":[]}}"#, "25: $.events.x.props: an object of schemas by property is needed, not an array"),
    (#""events":{"x":{"required":[1]}}"#, "29: $.events.x.required[0]: a string is needed, not a number"),
    (
      #""events":{"x":{"steps":[{"id":"one"}]}}"#,
      "25: $.events.x.steps: \"x\" does not belong to a step, only events named step_* do, remove \"steps\" or rename the event"
    ),
    (#""events":{"step_failed":{"steps":{}}}"#, "35: $.events.step_failed.steps: an array of steps is needed, not an object"),
    (
      #""events":{"step_failed":{"steps":[]}}"#,
      "35: $.events.step_failed.steps: the array is empty, at least one element is needed"
    ),
    (
      #""events":{"step_failed":{"steps":[7]}}"#,
      "36: $.events.step_failed.steps[0]: an object (a step's properties) is needed, not a number"
    ),
    (#""events":{"step_failed":{"steps":[{}]}}"#, "36: $.events.step_failed.steps[0]: the key \"id\" is missing, add it"),
    (
      #""events":{"step_failed":{"steps":[{"id":"ona"}]}}"#,
      "42: $.events.step_failed.steps[0].id: the flow has no step \"ona\", did you mean \"one\"? allowed: one, two"
    ),
    (
      #""events":{"step_failed":{"steps":[{"id":"one"},{"id":"one"}]}}"#,
      "55: $.events.step_failed.steps[1].id: the step \"one\" is listed twice, merge its properties"
    ),
    (
      #""events":{"step_failed":{"steps":[{"id":"one","prop":{}}]}}"#,
      "48: $.events.step_failed.steps[0].prop: unknown key \"prop\", did you mean \"props\"? allowed: id, props, required"
    ),
    (#""outcomes":{"x":{"events":["y"]}}"#, "18: $.outcomes.x: the key \"success\" is missing, add it"),
    (
      #""outcomes":{"x":{"events":[],"success":true}}"#,
      "28: $.outcomes.x.events: the array is empty, at least one element is needed"
    ),
    (
      #""outcomes":{"x":{"events":["y"],"success":true,"points":1}}"#,
      "49: $.outcomes.x.points: unknown key \"points\", allowed: ends, events, label, success, values, where"
    ),
  ])
  func `an event or an outcome that is wrong`(member: String, message: String) {
    #expect(problems(with: member) == [message])
  }

  @Test(arguments: [
    (#"{"from":"x"}"#, "13: $.upcasts[0]: the key \"to\" is missing, add it"),
    (#"{"from":"x","to":{}}"#, "30: $.upcasts[0].to: the key \"name\" is missing, add it"),
    (#"{"from":"x","to":{"name":"$props.y"}}"#, "38: $.upcasts[0].to.name: \"$props.y\" is not a valid name, \(nameRule)"),
    (
      #"{"from":"x","to":{"name":"y","flow":"z"}}"#,
      "42: $.upcasts[0].to.flow: unknown key \"flow\", allowed: name, props.<key>, step"
    ),
    (
      #"{"from":"x","to":{"name":"y","stpe":"z"}}"#,
      "42: $.upcasts[0].to.stpe: unknown key \"stpe\", did you mean \"step\"? allowed: name, props.<key>, step"
    ),
    (#""x""#, "13: $.upcasts[0]: an object (an upcast) is needed, not a string"),
    (
      #"{"from":"x","to":"y"}"#, "30: $.upcasts[0].to: an event {\"name\":…} (or an array of events) is needed, not a string"
    ),
    (#"{"from":"x","to":[]}"#, "30: $.upcasts[0].to: the array is empty, at least one element is needed"),
    (#"{"from":"x","to":[{"name":"y"},1]}"#, "44: $.upcasts[0].to[1]: an event {\"name\":…} is needed, not a number"),
    (
      #"{"from":"x","to":{"name":"y","step":"$prop.z"}}"#,
      "49: $.upcasts[0].to.step: \"$prop.z\" is not a field of an event, allowed: \"$step\", \"$props.<key>\", \"$ctx.<key>\""
    ),
    (
      #"{"from":"x","to":{"name":"y","step":1}}"#,
      "49: $.upcasts[0].to.step: a step id, a field such as \"$props.<key>\", or {\"$map\":…} is needed, not a number"
    ),
    (
      #"{"from":"x","to":{"name":"y","props.a":[]}}"#,
      "52: $.upcasts[0].to[\"props.a\"]: a string, number, boolean, null, or {\"$map\":…} is needed, not an array"
    ),
    (
      #"{"from":"x","to":{"name":"y","props.a":{"$map":"props.b"}}}"#,
      "52: $.upcasts[0].to[\"props.a\"]: the key \"values\" is missing, add it"
    ),
    (
      #"{"from":"x","to":{"name":"y","props.a":{"$map":"b","values":{"c":1}}}}"#,
      "60: $.upcasts[0].to[\"props.a\"][\"$map\"]: \"b\" is not a field of an event, allowed: step, props.<key>, ctx.<key>"
    ),
    (
      #"{"from":"x","to":{"name":"y","props.a":{"$map":7,"values":{"c":1}}}}"#,
      "60: $.upcasts[0].to[\"props.a\"][\"$map\"]: a field such as \"props.kind\" is needed, not a number"
    ),
    (
      #"{"from":"x","to":{"name":"y","props.a":{"$map":"step","values":{}}}}"#,
      "76: $.upcasts[0].to[\"props.a\"].values: the object is empty, at least one value is needed"
    ),
    (
      #"{"from":"x","to":{"name":"y","props.a":{"$map":"step","values":[]}}}"#,
      "76: $.upcasts[0].to[\"props.a\"].values: an object of new values by logged value is needed, not an array"
    ),
    (
      #"{"from":"x","to":{"name":"y","step":{"$map":"step","values":{"c":"tow"}}}}"#,
      "78: $.upcasts[0].to.step.values.c: the flow has no step \"tow\", did you mean \"two\"? allowed: one, two"
    ),
    (
      #"{"from":"x","to":{"name":"y","step":{"$map":"step","values":{"c":"two"},"else":"three"}}}"#,
      "92: $.upcasts[0].to.step.else: the flow has no step \"three\", allowed: one, two"
    ),
    (
      #"{"from":"x","to":{"name":"y","step":"tow"}}"#,
      "49: $.upcasts[0].to.step: the flow has no step \"tow\", did you mean \"two\"? allowed: one, two"
    ),
    (
      #"{"from":"x","to":{"name":"y"}},{"from":"x","to":{"name":"z"}}"#,
      "44: $.upcasts[1]: a second upcast from \"x\", remove one"
    ),
  ])
  func `an upcast that is wrong`(upcast: String, message: String) {
    #expect(problems(with: "\"upcasts\":[\(upcast)]") == [message])
  }

  @Test(arguments: [
    ("true", "30: $: an object (a JSON Schema) is needed, not a boolean"),
    (
      #"{"minItems":3}"#,
      "31: $.minItems: unknown key \"minItems\", allowed: const, enum, maxLength, maximum, minLength, minimum, pattern, type"
    ),
    (
      #"{"type":"strin"}"#,
      "38: $.type: \"strin\" is unknown here, did you mean \"string\"? allowed: string, integer, number, boolean, null"
    ),
    (#"{"type":[]}"#, "38: $.type: the array is empty, at least one element is needed"),
    (#"{"type":["null","null"]}"#, "46: $.type[1]: \"null\" is listed twice, remove one"),
    (#"{"type":["null",1]}"#, "46: $.type[1]: one of string, integer, number, boolean, null is needed, not a number"),
    (#"{"enum":[]}"#, "38: $.enum: the array is empty, at least one element is needed"),
    (#"{"enum":[{}]}"#, "39: $.enum[0]: a string, number, boolean or null is needed, not an object"),
    (#"{"const":[]}"#, "39: $.const: a string, number, boolean or null is needed, not an array"),
    (#"{"minimum":"1"}"#, "41: $.minimum: a number is needed, not a string"),
    (#"{"minLength":-1}"#, "43: $.minLength: a whole number from 0 is needed, not -1"),
    (#"{"maxLength":1.5}"#, "43: $.maxLength: a whole number from 0 is needed, not 1.5"),
    (#"{"pattern":"("}"#, "41: $.pattern: \"(\" is not a regular expression, allowed: the syntax of Swift's Regex"),
    (#"{"pattern":1}"#, "41: $.pattern: a string (a regular expression) is needed, not a number"),
    (#"{"minimum":2,"maximum":1}"#, "30: $: \"minimum\" is above \"maximum\", so no number matches, change one of them"),
    (
      #"{"minLength":2,"maxLength":1}"#, "30: $: \"minLength\" is above \"maxLength\", so no string matches, change one of them"
    ),
  ])
  func `a property schema that is wrong`(schema: String, message: String) {
    let expected = message.replacing(": $", with: ": $.events.x.props.k", maxReplacements: 1)
    #expect(problems(with: "\"events\":{\"x\":{\"props\":{\"k\":\(schema)}}}") == [expected])
  }

  @Test func `several mistakes are reported at once, in the order of the file`() {
    #expect(
      problems(#"{"steps":[{"id":"A"},{"id":"b","asks":7}],"version":0,"flow":"f","app":"a","locks":{"zz":[]}}"#) == [
        "17: $.steps[0].id: \"A\" is not a valid name, \(Self.nameRule)",
        "39: $.steps[1].asks: an array of names is needed, not a number",
        "53: $.version: a whole number from 1 is needed, not 0",
      ])
  }
}
