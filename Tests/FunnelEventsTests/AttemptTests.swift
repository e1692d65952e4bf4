import FunnelEvents
import FunnelModel
import FunnelTestSupport
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
    try await second.flush()
    #expect(run != other)
    let attempts = try place.events().map { $0["attempt"]?.string }
    #expect(attempts == [nil, run, nil, nil, run, "own", other, nil, run])
  }

  @Test func `a run that can't be kept is told`() async throws {
    let place = try RecorderPlace()
    let first = try place.recorder()
    try await first.flush()
    let second = try place.recorder()
    second.beginAttempt(of: "paywall")
    #expect(await second.status.attempts == [:])
    #expect(place.problemCodes.contains(.folderInUse))
    try await first.close()
  }
}
