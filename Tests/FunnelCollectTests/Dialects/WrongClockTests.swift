import FunnelModel
import FunnelSystem
import Testing

@testable import FunnelCollect

/// Requests of devices whose clock is far from the server's.
@Suite struct WrongClockTests {
  /// A batch with one event, which happened a second before the batch was sent.
  struct Batch: Sendable, CustomStringConvertible {
    let path: String
    var isInHeader = false
    let body: @Sendable (_ happened: Timestamp, _ sent: Timestamp) -> String

    var description: String { path }

    func headers(_ sent: Timestamp) -> [String: String] {
      let key = ["Authorization": "Bearer \(Collecting.key)"]
      return isInHeader ? key.merging(["Funnel-Sent-At": "\(sent)", "PostHog-Request-Timestamp": "\(sent)"]) { $1 } : key
    }
  }

  /// A batch of each client that says when it sends.
  private static let batches = [
    Batch(path: "v1/events", isInHeader: true) { happened, _ in #"{"name":"a","ts":"\#(happened)","subject":"d","id":"1"}"# },
    Batch(path: "v1/events") { #"{"name":"a","ts":"\#($0)","subject":"d","id":"1","sent_at":"\#($1)"}"# },
    Batch(path: "v1/batch") {
      #"{"batch":[{"type":"track","event":"a","anonymousId":"d","messageId":"1","timestamp":"\#($0)"}],"sentAt":"\#($1)"}"#
    },
    Batch(path: "batch") {
      #"{"sent_at":"\#($1)","batch":[{"event":"a","distinct_id":"d","uuid":"1","timestamp":"\#($0)","properties":{}}]}"#
    },
    Batch(path: "i/v1/analytics/events", isInHeader: true) { happened, _ in
      #"{"batch":[{"event":"a","distinct_id":"d","uuid":"1","timestamp":"\#(happened)","properties":{}}]}"#
    },
    Batch(path: "2/httpapi") {
      #"{"client_upload_time":"\#($1)","events":[{"event_type":"a","device_id":"d","insert_id":"1","time":\#($0.milliseconds)}]}"#
    },
    Batch(path: "com.snowplowanalytics.snowplow/tp2") {
      #"{"data":[{"e":"pv","eid":"1","dtm":"\#($0.milliseconds)","stm":"\#($1.milliseconds)","duid":"d"}]}"#
    },
  ]
  private static let hourMilliseconds: Int64 = 3_600_000

  /// Sends a batch by a clock that is ahead by some hours, and returns the collector and the times of the event.
  private func send(_ batch: Batch, hoursAhead: Int64) throws -> (collecting: Collecting, happened: Timestamp, sent: Timestamp)
  {
    let collecting = try Collecting()
    let sent = Timestamp(milliseconds: Collecting.now.milliseconds + hoursAhead * Self.hourMilliseconds)
    let happened = Timestamp(milliseconds: sent.milliseconds - 1000)
    #expect(collecting.send(batch.path, batch.body(happened, sent), headers: batch.headers(sent)).status == 200)
    return (collecting, happened, sent)
  }

  private func isCounted(_ count: Int, in collecting: Collecting) -> Bool {
    let text = collecting.metrics.text(.init(bytes: 0, flushCount: 0, secondsBehind: 0))
    return text.contains("\nfunnel_collect_stale_sent_at_total \(count)\n")
  }

  @Test(arguments: batches, [-24, 24] as [Int64])
  func `a clock that is a day off is corrected`(batch: Batch, hoursAhead: Int64) throws {
    let (collecting, happened, sent) = try send(batch, hoursAhead: hoursAhead)
    let lines = try collecting.lines()
    #expect(lines.count == 1 && lines[0].contains(#""ts":"\#(happened)""#) && lines[0].contains(#""sent_at":"\#(sent)""#))
    #expect(isCounted(0, in: collecting) && collecting.notes.all.isEmpty)
  }

  @Test(arguments: batches)
  func `a clock that is slow by more than a day is not corrected, but counted and told`(batch: Batch) throws {
    let (collecting, happened, _) = try send(batch, hoursAhead: -25)
    #expect(isCounted(1, in: collecting))
    #expect(
      collecting.notes.all == [
        "events of todo say a time of sending too far from that of their receipt, so they keep the times of their devices; "
          + "funnel_collect_stale_sent_at_total in /metrics counts them"
      ])
    let lines = try collecting.lines()
    #expect(lines.count == 1 && lines[0].contains(#""ts":"\#(happened)""#) && !lines[0].contains("sent_at"))
  }

  @Test(arguments: batches)
  func `an event of a clock that is fast by more than a day is a dead letter`(batch: Batch) throws {
    let (collecting, _, _) = try send(batch, hoursAhead: 25)
    #expect(try collecting.lines().isEmpty)
    let letters = try collecting.lines("rejected/")
    #expect(letters.count == 1 && letters[0].contains("timestamp_out_of_range"))
  }

  @Test func `an app whose clocks are wrong is told once`() throws {
    let collecting = try Collecting()
    let sent = Timestamp(milliseconds: Collecting.now.milliseconds - 25 * Self.hourMilliseconds)
    for key in [Collecting.key, Collecting.key, "other-key-1"] {
      let headers = ["Authorization": "Bearer \(key)", "Funnel-Sent-At": "\(sent)"]
      #expect(collecting.send("v1/events", #"{"name":"a","ts":"\#(sent)","subject":"d"}"#, headers: headers).status == 200)
    }
    #expect(collecting.notes.all.map { $0.prefix(16) } == ["events of todo s", "events of notes "])
    #expect(isCounted(3, in: collecting))
  }
}
