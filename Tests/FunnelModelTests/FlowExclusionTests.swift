@testable import FunnelModel
import FunnelTestSupport
import Testing

@Suite struct FlowExclusionTests {
  private func file(_ members: String) throws -> FlowFile {
    let steps = #"[{"id":"one"},{"id":"mid","optional":true},{"id":"two"},{"id":"three"}]"#
    let text = "{\"app\":\"a\",\"flow\":\"f\",\"version\":1,\"steps\":\(steps),\n\(members)}"
    return try FlowFile(json: Array(text.utf8), name: "f.json")
  }

  @Test func `an exclusion counts between two required steps, the first and the last unless it says others`() throws {
    let flow = try file(#""exclude":[{"event":"x"},{"event":"x","after":"two"},{"event":"x","before":"two"}]"#).definition
    let places = flow.exclusions.map { flow.requiredPlaces(of: $0) }
    #expect(places.map { $0?.after } == [0, 1, 0])
    #expect(places.map { $0?.before } == [2, 2, 1])
    for (after, before) in [("two", "two"), ("three", "one"), ("mid", "three"), ("one", "none")] {
      #expect(flow.requiredPlaces(of: FlowExclusion(event: "x", after: after, before: before)) == nil)
    }
  }

  @Test func `a flow declares the events that exclude from it`() throws {
    let vocabulary = FlowVocabulary(try file(#""exclude":[{"event":"started_over"}]"#).definition)
    #expect(vocabulary.declares(name: "started_over", step: nil))
    #expect(vocabulary.eventNames.contains("started_over"))
    #expect(!vocabulary.declares(name: "started", step: nil))
  }

  @Test func `an exclusion by an event that another flow declares, or that an upcast reads as another, is found`() throws {
    let flow = try file(#""exclude":[{"event":"old"}],"upcasts":[{"from":"old","to":{"name":"new"}}]"#)
    let other = try FlowFile(
      json: Array(#"{"app":"a","flow":"g","version":1,"steps":[{"id":"s","entered_by":["old"]}]}"#.utf8), name: "g.json")
    let remedy =
      "so that both count an event without \"flow\": rename it in one of them, or say \"from_flows\": [\"g\"] if both should count it"
    #expect(
      FlowFindings.findings(in: [flow], beside: [other])[0].map(\.description) == [
        "f.json:2:21: $.exclude[0].event: \"old\" is declared by a/g too (g.json), \(remedy)",
        "f.json:2:21: $.exclude[0].event: it can't exclude anybody: an upcast reads \"old\" as \"new\"",
      ])
  }
}
