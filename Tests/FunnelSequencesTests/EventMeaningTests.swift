import FunnelProjections
import FunnelSequences
import FunnelIndex
import FunnelModel
import FunnelTestSupport
import Testing

/// The meaning of an event to its flow: the steps it enters, and its action on a permission.
@Suite struct EventMeaningTests {
  private static let flow = #"""
    {"app":"cleaner","flow":"tour","version":1,"title":"Tour","steps":[
      {"id":"screen","label":"A screen"},
      {"id":"photos","label":"Photos","permission":"photos"},
      {"id":"named","label":"By a name","entered_by":["opened","step_viewed"]},
      {"id":"sized","label":"By a property","entered_by":[{"event":"opened","where":{"props.size":2}}]},
      {"id":"both","label":"By two","entered_by":[{"event":"opened","where":{"props.size":2,"ctx.os":"iOS"}}]},
      {"id":"absent","label":"By an absence","entered_by":[{"event":"opened","where":{"props.size":null}}]}],
     "upcasts":[{"from":"shown","to":{"name":"step_viewed","step":"$props.screen"}},{"from":"old_open","to":{"name":"opened"}}]}
    """#

  /// Returns the ids of the steps that an event enters, and its kind.
  private func meaning(_ fields: String) throws -> (steps: [String], kind: EventClass) {
    let catalog = try FlowCatalog(layers: [[FlowFile(json: Array(Self.flow.utf8), name: "tour.json")]])
    let line = "{\"ts\":1795168800000,\"subject\":\"s\",\"app\":\"cleaner\",\"flow\":\"tour\",\(fields)}"
    var kinds: [EventClass] = []
    try Journeys([line], catalog: catalog).forEachJourney { _, sequence in kinds += sequence.events.map(\.kind) }
    let kind = try #require(kinds.first)
    let steps = catalog.definitions[0].steps
    return (steps.indices.filter { kind.stepMask >> UInt64($0) & 1 == 1 }.map { steps[$0].id }, kind)
  }

  @Test(arguments: [
    (#""name":"step_viewed","step":"screen""#, ["screen", "named"]),
    (#""name":"step_viewed","step":"other""#, ["named"]),
    (#""name":"step_completed","step":"screen""#, []),
    (#""name":"perm_photos_pre_prompt_shown""#, ["photos"]),
    (#""name":"perm_photos_granted""#, []),
    (#""name":"perm_contacts_pre_prompt_shown""#, []),
    (#""name":"opened""#, ["named", "absent"]),
    (#""name":"opened","props":{"size":null}"#, ["named", "absent"]),
    (#""name":"opened","props":{"size":2}"#, ["named", "sized"]),
    (#""name":"opened","props":{"size":2.0},"ctx":{"os":"iOS"}"#, ["named", "sized", "both"]),
    (#""name":"opened","props":{"size":"2"}"#, ["named"]),
    (#""name":"opened","size":2"#, ["named", "sized"]),
    (#""name":"shown","props":{"screen":"screen"}"#, ["screen", "named"]),
    (#""name":"shown","props":{"screen":3},"step":"screen""#, ["named"]),
    (#""name":"old_open","props":{"size":2}"#, ["named", "sized"]),
  ])
  func `an event enters the steps its name, step id and properties say`(fields: String, steps: [String]) throws {
    #expect(try meaning(fields).steps == steps)
  }

  @Test(arguments: [
    ("pre_prompt_shown", PermissionAction.prePrompt), ("granted", .granted), ("limited", .limited), ("denied", .denied),
    ("dialog_dismissed", .denied), ("skipped", .skipped), ("skip_explained", .skipped), ("enable_tapped", .enableTapped),
    ("provisional", .provisional), ("ephemeral", .provisional), ("once", .limited), ("while_using", .limited),
    ("asked", .other),
  ])
  func `a permission's events say what became of it`(ending: String, action: PermissionAction) throws {
    let kind = try meaning("\"name\":\"perm_photos_\(ending)\"").kind
    #expect(kind.action == action)
    #expect(kind.permission == (action == .other ? nil : 0))
    #expect(try meaning("\"name\":\"perm_contacts_\(ending)\"").kind.permission == nil)
  }

  @Test func `a whole number is one value however it is written, 2 to the 53 too`() throws {
    let numbers = ["9007199254740992", "9007199254740992.0", "9.007199254740992e15"]
    let lines = numbers.enumerated().map {
      "{\"name\":\"perm_flow_start\",\"ts\":1795168800000,\"subject\":\"s\($0)\",\"app\":\"cleaner\",\"props\":{\"n\":\($1)}}"
    }
    #expect(
      Set(try Journeys(lines: lines).labels) == ["cleaner/permissions_flow@1: 9007199254740992"])
    var values: Set<PropertyValue> = []
    try Journeys(lines: lines).forEachJourney { _, sequence in
      for event in sequence.events { values.insert(sequence.segments.value(of: .property("n"), row: event.row)) }
    }
    #expect(values == [.integer(9_007_199_254_740_992)])
  }
}
