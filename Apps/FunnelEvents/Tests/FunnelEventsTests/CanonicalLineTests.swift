import FunnelEvents
import Foundation
import Testing

@Suite struct CanonicalLineTests {
  private func line(of event: FunnelEvent, context: [String: EventValue] = [:]) async throws -> String {
    let place = try RecorderPlace()
    let recorder = try place.recorder { $0.context = context }
    try await recorder.append(event)
    return try #require(try place.lines().first)
  }

  @Test func `a plain event has the fields that every event has`() async throws {
    let line = try await line(of: FunnelEvent("perm_flow_start"))
    let head =
      #"{"name":"perm_flow_start","ts":"2026-11-20T10:00:00.000Z","subject":"install-1","app":"cleaner","seq":0,"id":""#
    #expect(line.hasPrefix(head) && line.hasSuffix(#"-0","v":1}"#), "\(line)")
  }

  @Test func `all fields stand in the order of the log, and keys are sorted by their bytes`() async throws {
    var event = FunnelEvent("step_viewed", flow: "onboarding", flowVersion: 2, step: "welcome")
    event.attempt = "run \"1\""
    event.id = "e\u{1F600}"
    event.props = ["b": 2, "a": "x\ny", "Z": true, "ä": nil, "c": 1.5, "d": 2.0, "e": 1e300]
    let head =
      #"{"name":"step_viewed","ts":"2026-11-20T10:00:00.000Z","subject":"install-1","app":"cleaner","flow":"onboarding","#
    let middle = #""flow_version":2,"attempt":"run \"1\"","seq":0,"step":"welcome","id":"e😀","#
    let props = #""props":{"Z":true,"a":"x\ny","b":2,"c":1.5,"d":2,"e":1e+300,"ä":null},"#
    let tail = #""ctx":{"app_version":"5.2","os":"ios"},"v":1}"#
    #expect(try await line(of: event, context: ["os": "ios", "app_version": "5.2"]) == head + middle + props + tail)
  }

  @Test func `the time is that of the call, to the millisecond below, unless another is given`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder()
    place.time.advance(by: 0.001_999)
    recorder.record(FunnelEvent("a"))
    place.time.advance(by: 1)
    recorder.record(FunnelEvent("b"), at: place.time.now - 3600)
    try await recorder.sync()
    let times = try place.events().map { $0["ts"]?.string }
    #expect(times == ["2026-11-20T10:00:00.001Z", "2026-11-20T09:00:01.001Z"])
  }

  @Test func `a context that is replaced holds for the events recorded later`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder { $0.context = ["variant": "a"] }
    recorder.record(FunnelEvent("first"))
    try await recorder.setContext(["variant": "b", "app_version": "2"])
    recorder.record(FunnelEvent("second"))
    await #expect(throws: EventRecorderError.self) { try await recorder.setContext(["email": "x"]) }
    recorder.record(FunnelEvent("third"))
    try await recorder.sync()
    #expect(try place.events().map { $0["ctx"]?["variant"]?.string } == ["a", "b", "b"])
  }
}
