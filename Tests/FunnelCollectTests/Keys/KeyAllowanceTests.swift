import FunnelModel
import Testing

@testable import FunnelCollect

/// The events that a key may send in a minute.
@Suite struct KeyAllowanceTests {
  private static let event = #"{"name":"a","ts":"2026-11-20T10:15:30Z","subject":"s"}"#

  private func send(_ count: Int, of key: String = Collecting.key, to collecting: Collecting, secondsLater: Int64 = 0)
    -> CollectAnswer
  {
    let body = Array(repeating: Self.event, count: count).joined(separator: "\n")
    return collecting.send(
      "v1/events", body, headers: ["Authorization": "Bearer \(key)"],
      at: Timestamp(milliseconds: Collecting.now.milliseconds + secondsLater * 1000))
  }

  @Test func `a key that has sent its events of a minute is refused until the next one`() throws {
    let collecting = try Collecting(recordsPerMinuteMax: 3)
    #expect(send(2, to: collecting).status == 200)
    // A batch is never cut, so the last one may exceed the limit.
    #expect(send(5, to: collecting).status == 200)
    let refused = send(1, to: collecting)
    // The clock stands at 32 s.
    #expect(refused.status == 429 && refused.header("Retry-After") == "28")
    #expect(
      refused.text
        == #"{"code":429,"status":0,"error":"too many events in a minute, try again later","message":"too many events in a minute, try again later","detail":"too many events in a minute, try again later"}"#
        + "\n")
    #expect(send(0, to: collecting).status == 200)
    #expect(send(1, of: "other-key-1", to: collecting).status == 200)
    #expect(send(1, to: collecting, secondsLater: 27).header("Retry-After") == "10")
    #expect(send(1, to: collecting, secondsLater: 28).status == 200)
    #expect(
      collecting.metrics.text(.init(bytes: 0, flushCount: 0, secondsBehind: 0)).contains(
        #"funnel_collect_requests_total{dialect="native",status="429"} 2"#))
    #expect(try collecting.lines().count == 9)
  }

  @Test func `a slow body, which comes in the minute after its head, does not begin the count anew`() throws {
    let collecting = try Collecting(recordsPerMinuteMax: 3)
    #expect(send(3, to: collecting, secondsLater: 30).status == 200)
    #expect(send(1, to: collecting, secondsLater: 27).status == 429)
    #expect(send(1, to: collecting, secondsLater: 31).status == 429)
    // The clock was set back.
    #expect(send(1, to: collecting, secondsLater: -3600).status == 200)
  }

  @Test func `the operator is told when the refusals of a key begin, not each minute`() throws {
    let collecting = try Collecting(recordsPerMinuteMax: 1)
    // Of two batches in a minute the second is refused. Nothing comes in the two minutes before the last one.
    for seconds in [0, 0, 60, 60, 240, 240] as [Int64] { _ = send(1, to: collecting, secondsLater: seconds) }
    #expect(
      collecting.notes.all
        == Array(
          repeating:
            "a key of todo sends more than --max-events-per-minute, so its clients get 429; if nobody expects that, replace the key",
          count: 2))
  }

  @Test func `records that are refused count, in each dialect`() throws {
    let collecting = try Collecting(recordsPerMinuteMax: 2)
    #expect(collecting.send("v1/batch", #"{"writeKey":"k-12345678","batch":[{},{}]}"#).status == 200)
    let refused = collecting.send("batch", #"{"api_key":"k-12345678","batch":[{}]}"#)
    #expect(refused.status == 429 && refused.header("Retry-After") == "60")
  }

  @Test func `without a limit a key sends what it likes`() throws {
    let collecting = try Collecting()
    for _ in 0..<20 { #expect(send(50, to: collecting).status == 200) }
    #expect(try collecting.lines().count == 1000)
  }
}
