import Testing

/// `funnel groups` without `--flow` finds the flow by itself.
@Suite struct ListedFlowTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.write(
      #"{"app":"shop","flow":"onboarding","version":1,"steps":[{"id":"start"},{"id":"done"}]}"#,
      to: "flows/shop.onboarding.v1.json")
  }

  private func groups(_ arguments: String...) throws -> FunnelRun {
    try FunnelRun(
      arguments: ["groups"] + arguments + ["--schemas", "flows", "--now", "2026-11-20"], directory: place.url)
  }

  @Test func `a copy of an event that differs in its user does not hide the flow`() throws {
    let event = #"{"app":"shop","name":"step_viewed","step":"start","ts":"2026-11-01T10:00:00Z","subject":"ph1""#
    try place.write("\(event),\"user\":\"ann\",\"id\":\"1\"}\n\(event),\"id\":\"1\"}\n", to: "log.ndjson")
    let run = try groups("entered", "log.ndjson")
    #expect(run.status == 0 && run.output.hasPrefix("1 person of shop/onboarding@1"), "\(run.output)\(run.errors)")
  }

  @Test func `conditions that nobody meets give an empty list of the flow that somebody entered`() throws {
    try place.write(
      #"{"app":"shop","name":"step_viewed","step":"start","ts":"2026-11-01T10:00:00Z","subject":"ph1"}"# + "\n",
      to: "log.ndjson")
    for options in [["--where", "subject=nobody"], ["--since", "2026-11-10"]] {
      let run = try FunnelRun(
        arguments: ["groups", "entered", "log.ndjson", "--schemas", "flows", "--now", "2026-11-20"] + options,
        directory: place.url)
      #expect(run.status == 0 && run.output.hasPrefix("0 people of shop/onboarding@1"), "\(run.output)\(run.errors)")
    }
  }
}
