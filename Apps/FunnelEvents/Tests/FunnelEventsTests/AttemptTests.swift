import FunnelEvents
import Foundation
import Testing

@Suite struct AttemptTests {
  @Test func `events of a flow belong to its run, from its beginning to its end and over restarts`() async throws {
    let place = try RecorderPlace()
    let first = try place.recorder()
    first.record(FunnelEvent("a", flow: "paywall"))
    let run = first.beginAttempt(of: "paywall")
    first.record(FunnelEvent("b", flow: "paywall"))
    first.record(FunnelEvent("c", flow: "onboarding"))
    first.record(FunnelEvent("d"))
    try await first.close()
    let second = try place.recorder()
    #expect(await second.status.attempts == ["paywall": run])
    second.record(FunnelEvent("e", flow: "paywall"))
    var own = FunnelEvent("f", flow: "paywall")
    own.attempt = "own"
    second.record(own)
    let other = second.beginAttempt(of: "paywall")
    second.record(FunnelEvent("g", flow: "paywall"))
    second.endAttempt(of: "paywall")
    second.record(FunnelEvent("h", flow: "paywall"))
    second.continueAttempt(run, of: "paywall")
    second.record(FunnelEvent("i", flow: "paywall"))
    try await second.sync()
    #expect(run != other)
    let attempts = try place.events().map { $0["attempt"]?.string }
    #expect(attempts == [nil, run, nil, nil, run, "own", other, nil, run])
  }

  @Test func `a run that can't be kept is told`() async throws {
    let place = try RecorderPlace()
    let first = try place.recorder()
    try await first.sync()
    let second = try place.recorder()
    second.beginAttempt(of: "paywall")
    #expect(await second.status.attempts == [:])
    #expect(place.problemCodes.contains(.folderInUse))
    try await first.close()
  }

  @Test func `a run that begins before the folder can be opened has the events that follow`() async throws {
    let place = try RecorderPlace()
    let blocking = try place.recorder()
    try await blocking.sync()
    let recorder = try place.recorder()
    recorder.record(FunnelEvent("a", flow: "paywall"))
    let run = recorder.beginAttempt(of: "paywall")
    recorder.record(FunnelEvent("b", flow: "paywall"))
    recorder.endAttempt(of: "paywall")
    recorder.record(FunnelEvent("c", flow: "paywall"))
    let other = recorder.beginAttempt(of: "paywall")
    _ = await recorder.status
    try await blocking.close()
    recorder.record(FunnelEvent("d", flow: "paywall"))
    try await recorder.sync()
    #expect(try place.events().map { $0["attempt"]?.string } == [nil, run, nil, other])
    #expect(await recorder.status.attempts == ["paywall": other])
    try await recorder.close()
  }

  @Test func `what waits for the folder is written when the recorder is closed`() async throws {
    let place = try RecorderPlace()
    let blocking = try place.recorder()
    try await blocking.sync()
    let recorder = try place.recorder()
    let run = recorder.beginAttempt(of: "paywall")
    recorder.record(FunnelEvent("a", flow: "paywall"))
    _ = await recorder.status
    try await blocking.close()
    try await recorder.close()
    #expect(try place.events().map { $0["attempt"]?.string } == [run])
  }

  @Test func `what can't be written when the recorder is closed waits until it is closed again`() async throws {
    let place = try RecorderPlace()
    let blocking = try place.recorder()
    try await blocking.sync()
    let recorder = try place.recorder()
    recorder.record(FunnelEvent("a"))
    try await recorder.setContext(["variant": "b"])
    recorder.record(FunnelEvent("b"))
    await #expect(throws: EventRecorderError.self) { try await recorder.close() }
    try await blocking.close()
    try await recorder.close()
    #expect(try place.events().map { $0["name"]?.string } == ["a", "b"])
    #expect(try place.events().map { $0["ctx"]?["variant"]?.string } == [nil, "b"])
    #expect(await recorder.status.dropped == 0)
  }
}
