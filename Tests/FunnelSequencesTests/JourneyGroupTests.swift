import FunnelDecoding
import FunnelIngest
import FunnelSequences
import FunnelModel
import FunnelTestSupport
import Testing

/// The events that form one group.
@Suite struct JourneyGroupTests {
  @Test func `subjects, apps, flows and versions are groups of their own`() throws {
    let sequences = try Journeys(lines: [
      Journeys.event("a", "perm_flow_start", at: 0), Journeys.event("b", "perm_flow_start", at: 1),
      Journeys.event("c", "perm_flow_start", at: 2, #""subject":"t""#),
      Journeys.event("d", "step_viewed", at: 3, #""step":"welcome","flow":"onboarding","flow_version":1"#, app: "smilepile"),
      Journeys.event("e", "step_viewed", at: 4, #""step":"welcome","flow":"onboarding""#, app: "smilepile"),
      Journeys.event("f", "step_viewed", at: 5, #""step":"welcome""#, app: "smilepile"),
    ])
    #expect(
      sequences.labels == [
        "cleaner/permissions_flow@1: a b", "cleaner/permissions_flow@1: c", "smilepile/onboarding@1: d",
        "smilepile/onboarding@2: e f",
      ])
  }

  @Test func `by attempt each attempt is a group, and so are the events without one`() throws {
    let lines = [
      Journeys.event("a", "perm_flow_start", at: 0, #""attempt":"1""#),
      Journeys.event("b", "perm_flow_start", at: 1, #""attempt":"2""#),
      Journeys.event("c", "perm_flow_start", at: 2), Journeys.event("d", "perm_flow_completed", at: 3, #""attempt":"1""#),
      Journeys.event("e", "perm_flow_start", at: 4, #""attempt":"1","subject":"t""#),
      Journeys.event("f", "perm_flow_completed", at: 5),
    ]
    #expect(
      try Journeys(lines: lines).labels == ["cleaner/permissions_flow@1: a b c d f", "cleaner/permissions_flow@1: e"])
    #expect(
      try Journeys(lines: lines) { $0.countBy = .attempt }.labels == [
        "cleaner/permissions_flow@1: a d", "cleaner/permissions_flow@1: b", "cleaner/permissions_flow@1: c f",
        "cleaner/permissions_flow@1: e",
      ])
  }

  @Test func `an event that names a flow belongs to it even if the flow does not declare it; others belong to none`() throws {
    let sequences = try Journeys(lines: [
      Journeys.event("a", "perm_flow_start", at: 0), Journeys.event("b", "something", at: 1, #""flow":"permissions_flow""#),
      Journeys.event("x", "something", at: 2), Journeys.event("y", "perm_flow_start", at: 3, #""flow":"unknown""#),
      Journeys.event("z", "perm_flow_start", at: 4, #""flow":"permissions_flow","flow_version":7"#),
      Journeys.event("w", "perm_flow_start", at: 5, app: "nobody"),
    ])
    #expect(sequences.labels == ["cleaner/permissions_flow@1: a b"])
    #expect(sequences.counts.events == 6)
  }

  @Test func `an event that several flows declare belongs to each of them, unless it says which`() throws {
    func flow(_ id: String, _ change: (inout FlowDefinition) -> Void = { _ in }) throws -> FlowFile {
      var file = try FlowFile(
        json: Array(
          #"{"app":"two","flow":"\#(id)","version":1,"title":"T","steps":[{"id":"s\#(id)","label":"S","entered_by":["opened","only_\#(id)"]}]}"#
            .utf8),
        name: id)
      change(&file.definition)
      return file
    }
    let lines = [
      Journeys.event("x", "opened", at: 0, app: "two"), Journeys.event("m", "opened", at: 1, #""flow":"a""#, app: "two"),
      Journeys.event("n", "only_b", at: 2, app: "two"),
    ]
    let catalog = try FlowCatalog(layers: [[flow("a"), flow("b"), flow("c") { $0.fromFlows = .flows(["a"]) }]])
    #expect(try Journeys(lines: lines, catalog: catalog).labels == ["two/a@1: x m", "two/b@1: x n", "two/c@1: x m"])
    // Adding or removing another flow changes nothing for the first one.
    #expect(try Journeys(lines: lines, catalog: FlowCatalog(layers: [[flow("a")]])).labels == ["two/a@1: x m"])
  }

  @Test func `the build an event is of chooses the version that folds it`() throws {
    func tour(_ version: Int, _ steps: String, _ range: String?) throws -> FlowFile {
      var file = try FlowFile(
        json: Array(#"{"app":"cleaner","flow":"tour","version":\#(version),"steps":[\#(steps)]}"#.utf8), name: "t")
      file.definition.appVersions = range.flatMap { VersionRange($0) }
      return file
    }
    let catalog = try FlowCatalog(layers: [
      [tour(1, #"{"id":"a"},{"id":"b"}"#, "<5.2"), tour(2, #"{"id":"b"}"#, ">=5.2 <6"), tour(3, #"{"id":"a"}"#, nil)]
    ])
    func event(_ label: String, _ step: String, _ more: String) -> String {
      Journeys.event(label, "step_viewed", at: 0, #""step":"\#(step)",\#(more)"#)
    }
    let sequences = try Journeys(
      lines: [
        event("old", "a", #""ctx":{"app_version":"5.1.9"}"#), event("number", "b", #""ctx":{"app_version":5.1}"#),
        event("middle", "b", #""ctx":{"app_version":"5.10"}"#), event("undeclared", "a", #""ctx":{"app_version":"5.3"}"#),
        event("newest", "a", #""ctx":{"app_version":"7"}"#), event("none", "a", #""seq":1"#),
        event("said", "b", #""seq":2,"ctx":{"app_version":"5.1"},"flow_version":2"#),
        event("named", "x", #""seq":3,"ctx":{"app_version":"5.1"},"flow":"tour""#),
      ], catalog: catalog)
    #expect(
      sequences.labels == ["cleaner/tour@1: number old named", "cleaner/tour@2: middle said", "cleaner/tour@3: newest none"]
        || sequences.labels == [
          "cleaner/tour@1: old number named", "cleaner/tour@2: middle said", "cleaner/tour@3: newest none",
        ])
    #expect(sequences.counts.events == 8)
  }

  @Test func `duplicates are dropped by the smallest time, before now cuts anything off`() throws {
    let beyond = Int(Journeys.now.milliseconds - 1_795_168_800_000) + 1000
    let sequences = try Journeys([
      Journeys.event("late", "perm_flow_start", at: 5, #""id":"1""#) + "\n"
        + Journeys.event("c", "perm_flow_start", at: 9, #""id":"2""#),
      Journeys.event("b", "perm_flow_start", at: 4, #""id":"1","seq":1"#) + "\n"
        + Journeys.event("x", "perm_flow_start", at: beyond, #""id":"2""#),
      Journeys.event("a", "perm_flow_start", at: 4, #""id":"1""#) + "\n"
        + Journeys.event("a", "perm_flow_start", at: 4, #""id":"1""#),
    ])
    // Of two events at one time, the one with the smaller record stays. The records first differ where that of b has `seq` and
    // that of a has `id`.
    #expect(sequences.labels == ["cleaner/permissions_flow@1: a c"])
  }

  @Test func `only the flows that are asked for are handed out`() throws {
    let catalog = Journeys.builtIn
    let wanted = try #require(catalog.index(app: "smilepile", flow: "onboarding", version: 2))
    let lines = [
      Journeys.event("a", "perm_flow_start", at: 0),
      Journeys.event("b", "step_viewed", at: 1, #""step":"welcome""#, app: "smilepile"),
    ]
    #expect(try Journeys([lines.joined(separator: "\n")], flows: [wanted]).labels == ["smilepile/onboarding@2: b"])
    #expect(try Journeys([lines.joined(separator: "\n")], flows: []).labels == [])
  }

  @Test func `many subjects are all there, each once`() throws {
    let lines = (0..<1000).map { Journeys.event("\($0 % 7)", "perm_flow_start", at: $0, "\"subject\":\"subject-\($0 % 300)\"") }
    let sequences = try Journeys(lines: lines)
    #expect(sequences.labels.count == 300)
    #expect(sequences.labels.reduce(0) { $0 + $1.split(separator: " ").count - 1 } == 1000)
  }
}
