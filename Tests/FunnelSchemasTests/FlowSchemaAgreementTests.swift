@testable import FunnelModel
import FunnelSchemas
import Testing

/// `Schemas/flow.v1.schema.json` tells editors what the reader accepts: both must agree on the same definitions and on mistakes
/// in them.
@Suite struct FlowSchemaAgreementTests {
  private let checker: JSONSchemaChecker

  init() throws {
    let file = try #require(BuiltInSchemas.jsonSchemas.first { $0.name == "flow.v1.schema.json" })
    checker = JSONSchemaChecker(try JSONDocument(parsing: file.bytes))
  }

  /// A definition with every possible member except rules.
  private static let everything = """
    {"app":"a","flow":"f","version":2,"title":"T","window":"36h","count_by":"attempt","app_versions":">= 3 <5.2-beta.1",
     "from_flows":["other","more"],"versions":["props.sdk","ctx.os_build"],
     "steps":[{"id":"one","label":"One","asks":["photos",{"permission":"push","primed_by":"step"}],"progress":0.5,
               "props":{"n":{"type":["integer","null"],"minimum":0,"maximum":5}},"required":["n"]},
              {"id":"two","window":"10m","min_gap":"2s","entered_by":["started",{"event":"screen","where":{"props.name":"S","ctx.os":null,"step":"x"}}]},
              {"id":"three","permission":"contacts","optional":true}],
     "exclude":[{"event":"gone","after":"one","before":"two"}],
     "locks":{"photos":["albums"],"push":[]},
     "events":{"started":{"props":{"why":{"enum":["first",1,null]},"t":{"type":"string","minLength":1,"maxLength":9,"pattern":"^a"}},
                          "required":["why"]},
               "step_failed":{"steps":[{"id":"one","props":{"reason":{"const":"x"}},"required":["reason"]}]}},
     "outcomes":{"won":{"label":"Won","events":["won"],"where":{"props.how":"x"},"success":true,"ends":false,
                        "values":{"xp":[{"where":{"props.how":["x",null],"props.n":7,"props.ms":{"minimum":1,"maximum":5.5}},"amount":5},
                                        {"where":{"props.how":"y"},"by":"props.type","amounts":{"text":15,"call":-2.5}},10],
                                  "USD":{"by":"props.product","amounts":{"monthly":4.99}},"n":{"amount":1}}},
                 "lost":{"events":["lost"],"success":false,"values":{"xp":1}}},
     "upcasts":[{"from":"old","to":{"name":"step_viewed","step":"$props.screen","props.a":"$ctx.b","props.c":3}},
                {"from":"older","to":[{"name":"started","props.why":{"$map":"props.kind","values":{"a":"first","b":1},"else":"keep"}},
                                      {"name":"step_viewed","step":{"$map":"step","values":{"uno":"one"},"else":"two"}}]}],
     "retention":{"events":"30d","snapshots":"90d","also":["mood_*","?_x"]},"notes":["for people"]}
    """

  /// A rule of each kind, with all its parameters.
  static let rules = [
    #"{"rule":"advance_when_all_handled","step":"one","to":"two","permissions":["photos","push"]}"#,
    #"{"rule":"auto_verify_after","connections":3,"period":"day","event":"won","method":"m","skips":"two"}"#,
    #"{"rule":"back_from","steps":["one"]}"#,
    #"{"rule":"dialog_after","button":"enable_tapped","permissions":["photos"]}"#,
    #"{"rule":"dismissed_is_denied","reason":"dismissed"}"#,
    #"{"rule":"failure_reason","event":"lost","reason":"r","types":["t"],"minimum_milliseconds":1,"within_milliseconds":2}"#,
    #"{"rule":"grant_undisclosed","permission":"photos","note":"n"}"#,
    #"{"rule":"infer_skip"}"#,
    #"{"rule":"known_step"}"#,
    #"{"rule":"limited_hint","permission":"photos","hint":"h"}"#,
    #"{"rule":"limited_is_access","permissions":["photos"]}"#,
    #"{"rule":"locked_when","decisions":["denied","skipped"]}"#,
    #"{"rule":"manual_entry_on_denied","step":"one","permission":"photos","or_without":"wifi"}"#,
    #"{"rule":"max_items","step":"one","prop":"n","maximum":5,"reason":"r"}"#,
    #"{"rule":"min_items","step":"one","prop":"n","minimum":1,"reason":"r"}"#,
    #"{"rule":"no_personal_data","keys":["contact name","ssid"]}"#,
    #"{"rule":"no_second_decision"}"#,
    #"{"rule":"not_after_completion"}"#,
    #"{"rule":"only_if_all_granted","step":"two","permissions":["photos"]}"#,
    #"{"rule":"permission_order","step":"one","permissions":["photos","push"]}"#,
    #"{"rule":"permission_progress","step":"one","permissions":["photos"],"progress":[0.5]}"#,
    #"{"rule":"pre_alert_without_alert","permissions":["photos"],"kind":"camera"}"#,
    #"{"rule":"pre_prompt_before_decision"}"#,
    #"{"rule":"progress"}"#,
    #"{"rule":"recovered_via_settings","event":"started"}"#,
    #"{"rule":"skip_delay","milliseconds":1500,"from":"skip_explained","to":"skipped","permissions":["photos"]}"#,
    #"{"rule":"skippable","steps":["one"]}"#,
    #"{"rule":"start_trigger","event":"started","prop":"why","first":"first","until_completed":"u","forced":"f"}"#,
  ]

  /// Parts of the reader's messages about mistakes that a JSON Schema can't express.
  private static let beyond = [
    "the flow has no ", "the flow declares no event", "the step does not ask for", "is already used by the step in line",
    "is listed twice",
    "every step is optional", "a second upcast", "is the flow itself", "exclude each other", ", give one for each", "is above",
    "a step has either", "remove \"window\"", "remove \"min_gap\"", "does not come before", "so this one is never used",
    "has a repetition inside a repetition", "is not a regular expression", "as in 500ms",
  ]

  /// The values that replace each value.
  private static let replacements: [JSONDocument.Value] = [
    .null, .bool(true), .number("-1"), .number("0.25"), .string(""), .string("A b"), .array([]), .object([]),
  ]

  private func compare(_ text: String) throws {
    let bytes = Array(text.utf8)
    let isAccepted = try checker.accepts(JSONDocument(parsing: bytes))
    switch FlowDefinition.read(json: bytes, source: "f") {
    case .success: #expect(isAccepted, "the reader accepts what the schema refuses: \(text)")
    case .failure(let failure):
      let messages = failure.problems.map(\.description)
      let isBeyond = messages.allSatisfy { message in Self.beyond.contains { message.contains($0) } }
      #expect(!isAccepted || isBeyond, "the schema accepts what the reader refuses: \(text): \(messages)")
    }
  }

  @Test func `what is sound is so to both`() throws {
    let definitions = BuiltInSchemas.flowFiles.map(\.bytes) + [Array(Self.everything.utf8)]
    for bytes in definitions {
      #expect(try checker.accepts(JSONDocument(parsing: bytes)))
      #expect(throws: Never.self) { try FlowDefinition(json: bytes, source: "f.json") }
    }
  }

  @Test func `a slip of the pen anywhere in a definition is one to both`() throws {
    let root = try JSONDocument(parsing: Array(Self.everything.utf8)).root
    for slip in Self.slips(of: root) { try compare(slip.compactText) }
  }

  @Test(arguments: rules)
  func `a rule of each kind, and a slip of the pen anywhere in it, is the same to both`(rule: String) throws {
    let frame = String(Self.everything.dropLast(1)) + ",\"rules\":["
    let definition = try FlowDefinition(json: Array("\(frame)\(rule)]}".utf8), source: "f.json")
    #expect(rule.contains("\"rule\":\"\(definition.rules[0].kind.rawValue)\""))
    #expect(try checker.accepts(JSONDocument(parsing: Array("\(frame)\(rule)]}".utf8))))
    for slip in Self.slips(of: try JSONDocument(parsing: Array(rule.utf8)).root) {
      try compare("\(frame)\(slip.compactText)]}")
    }
  }

  @Test func `there is a rule of each kind above`() {
    for kind in FlowRule.Kind.allCases { #expect(Self.rules.contains { $0.contains("\"rule\":\"\(kind.rawValue)\"") }) }
  }

  /// Returns a value with one mistake each: a part replaced, a member removed, or a member added.
  static func slips(of node: JSONDocument.Node) -> [JSONDocument.Node] {
    var result = replacements.map { JSONDocument.Node(value: $0, position: node.position) }
    switch node.value {
    case .array(let nodes):
      for (index, element) in nodes.enumerated() {
        for slip in slips(of: element) {
          var changed = nodes
          changed[index] = slip
          result.append(JSONDocument.Node(value: .array(changed), position: node.position))
        }
        result.append(JSONDocument.Node(value: .array(nodes + [element]), position: node.position))
      }
    case .object(let members):
      for (index, member) in members.enumerated() {
        for slip in slips(of: member.node) {
          var changed = members
          changed[index].node = slip
          result.append(JSONDocument.Node(value: .object(changed), position: node.position))
        }
        var rest = members
        rest.remove(at: index)
        result.append(JSONDocument.Node(value: .object(rest), position: node.position))
      }
      let stray = JSONDocument.Node(value: .number("1"), position: node.position)
      for key in ["stray_key", "Stray key", ""] {
        let member = JSONDocument.Member(key: key, position: node.position, node: stray)
        result.append(JSONDocument.Node(value: .object(members + [member]), position: node.position))
      }
    default: break
    }
    return result
  }
}
