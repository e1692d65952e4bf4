import FunnelEvents
import Foundation
import Testing

/// The recorder in memory does what the real one does.
@Suite struct RecordedEventsTests {
  private enum Onboarding: FlowEvent {
    case started, finished
    static let app = "cleaner"
    static let flow = "onboarding"
    static let version = 2
    var name: String { self == .started ? "flow_started" : "flow_finished" }
    var step: String? { nil }
    var props: [String: EventValue] { [:] }
  }

  /// Does everything that a recorder offers.
  private func use(_ recorder: any EventRecording, at time: Date) async throws {
    let flow = recorder.flow(Onboarding.self)
    recorder.record(FunnelEvent("opened", props: ["n": 1]))
    flow.continueAttempt("run-1")
    flow.record(.started, at: time - 60, props: ["theme": "dark"])
    try await flow.append(.finished, at: time - 30)
    flow.endAttempt()
    try await flow.append(.finished)
    recorder.identify(user: "u-17")
    recorder.record(FunnelEvent("Bad"))
    await #expect(throws: EventRecorderError.self) { try await recorder.append(FunnelEvent("a", props: ["email": "x"])) }
    recorder.record(FunnelEvent("signed_in"), at: time + 1)
    recorder.identify(user: "ann@example.org")
    recorder.record(FunnelEvent("signed_in_badly"))
    recorder.identify(user: "u-18")
    recorder.signOut()
    recorder.setSubject("other")
    recorder.record(FunnelEvent("signed_out"))
  }

  /// Returns lines without the IDs, which are random.
  private func comparable(_ lines: [String]) -> [String] {
    lines.map { $0.replacing(/"id":"[0-9a-f]{12}-/, with: #""id":"-"#) }
  }

  @Test func `it takes and rejects what the real one does, and makes the same lines`() async throws {
    let place = try RecorderPlace()
    let real = try place.recorder { $0.context = ["variant": "b"] }
    let inMemory = try RecordedEvents(
      app: "cleaner", subject: "install-1", context: ["variant": "b"], clock: { [time = place.time] in time.now })
    try await use(real, at: place.time.now)
    try await use(inMemory, at: place.time.now)
    try await real.sync()
    #expect(comparable(inMemory.events.map(\.line)) == comparable(try place.lines()))
    let problems = place.problems.withLock { $0.map(\.description) }
    #expect(inMemory.problems.map(\.description) == problems.filter { !$0.contains("email") })
    #expect(
      inMemory.names == [
        "opened", "flow_started", "flow_finished", "flow_finished", "user_linked", "signed_in", "signed_in_badly",
        "user_linked",
        "signed_out",
      ])
    #expect(inMemory.events.map(\.event.attempt) == [nil, "run-1", "run-1", nil, nil, nil, nil, nil, nil])
    #expect(inMemory.events.map(\.user) == [nil, nil, nil, nil, "u-17", "u-17", nil, "u-18", nil])
    #expect(inMemory.events.last?.subject == "other")
  }

  @Test func `it stops at an opt-out`() throws {
    let recorder = try RecordedEvents(app: "cleaner")
    recorder.record(FunnelEvent("a"))
    recorder.optOut()
    recorder.record(FunnelEvent("b"))
    #expect(recorder.events.isEmpty && recorder.isOptedOut && recorder.problems.isEmpty)
    recorder.optIn()
    recorder.record(FunnelEvent("c"))
    #expect(recorder.names == ["c"])
  }

  @Test func `it may start opted out`() throws {
    let recorder = try RecordedEvents(app: "cleaner", startsOptedOut: true)
    recorder.record(FunnelEvent("a"))
    recorder.identify(user: "u-17")
    #expect(recorder.events.isEmpty && recorder.isOptedOut)
    recorder.optIn()
    recorder.record(FunnelEvent("b"))
    #expect(recorder.names == ["user_linked", "b"] && !recorder.isOptedOut)
  }

  /// Signs people in and out, with and without consent.
  private func signIn(_ recorder: any EventRecording) {
    recorder.identify(user: "ann")
    recorder.identify(user: "bob@example.com")
    recorder.record(FunnelEvent("a"))
    recorder.identify(user: "ann")
    recorder.optIn()
    recorder.record(FunnelEvent("b"))
    recorder.reset()
    recorder.record(FunnelEvent("c"))
    recorder.identify(user: "ann")
    recorder.optOut()
    recorder.identify(user: "bob@example.com")
    recorder.identify(user: "eve")
    recorder.record(FunnelEvent("d"))
    recorder.setSubject("none")
    recorder.optIn()
    recorder.record(FunnelEvent("e"))
    recorder.identify(user: "bob@example.com")
    recorder.record(FunnelEvent("f"))
  }

  @Test(arguments: [true, false]) func `it signs in and out whom the real one does`(startsOptedOut: Bool) async throws {
    let place = try RecorderPlace()
    let real = try place.recorder { $0.startsOptedOut = startsOptedOut }
    let inMemory = try RecordedEvents(
      app: "cleaner", subject: "install-1", startsOptedOut: startsOptedOut, clock: { [time = place.time] in time.now })
    signIn(real)
    signIn(inMemory)
    try await real.sync()
    let events = try place.events()
    #expect(inMemory.names == ["user_linked", "e", "f"])
    #expect(events.map { $0["name"]?.string } == inMemory.names)
    #expect(events.map { $0["user"]?.string } == inMemory.events.map(\.user))
    #expect(inMemory.events.map(\.user) == ["eve", "eve", nil])
    #expect(events.map { $0["seq"]?.integer } == inMemory.events.map { JSONNode(parsing: $0.line)?["seq"]?.integer })
    #expect(inMemory.problems == place.problems.withLock { $0 })
    #expect(!inMemory.events.contains { ["install-1", "none"].contains($0.subject) })
  }

  @Test func `a login that is refused signs out, as in the real one`() throws {
    let recorder = try RecordedEvents(app: "cleaner")
    recorder.identify(user: "ann")
    recorder.identify(user: "bob@example.com")
    recorder.record(FunnelEvent("of_bob"))
    #expect(recorder.events.map(\.user) == ["ann", nil])
    #expect(recorder.problems.count == 1)
  }
}
