@testable import FunnelEvents
import Foundation
import Testing

/// When events are delivered.
@Suite struct DeliveryTests {
  private static func count(_ calls: Guarded<[EventFile]>) -> Int { calls.withLock { $0.count } }

  private func recorder(
    in place: RecorderPlace, results: @escaping @Sendable (Int) -> UploadResult = { _ in .delivered }
  ) throws -> (EventRecorder, Guarded<[EventFile]>) {
    let calls = Guarded<[EventFile]>([])
    let recorder = try place.recorder {
      $0.flushInterval = 30
      $0.flushEventCount = 50
      $0.fileAgeMax = 100_000
      $0.uploader = ClosureUploader { file in
        results(
          calls.withLock { calls in
            calls.append(file)
            return calls.count
          })
      }
    }
    return (recorder, calls)
  }

  @Test func `events are delivered half a minute after the first`() async throws {
    let place = try RecorderPlace()
    let (recorder, calls) = try recorder(in: place)
    recorder.record(FunnelEvent("a"))
    recorder.record(FunnelEvent("b"))
    #expect(await eventually { place.time.sleeperCount == 2 })
    place.time.advance(by: 29)
    _ = await recorder.status
    #expect(Self.count(calls) == 0)
    place.time.advance(by: 1)
    #expect(await eventually { Self.count(calls) == 1 })
    #expect(calls.withLock { $0[0].eventCount } == 2)
    #expect(calls.withLock { $0[0].sentAt } == place.time.now)
  }

  @Test func `fifty events are delivered at once`() async throws {
    let place = try RecorderPlace()
    let (recorder, calls) = try recorder(in: place)
    for _ in 0..<120 { recorder.record(FunnelEvent("a")) }
    #expect(await eventually { Self.count(calls) == 2 })
    #expect(calls.withLock { $0.map(\.eventCount) } == [50, 50])
    #expect(try await recorder.flush() == EventRecorder.Delivery(delivered: 20))
  }

  @Test func `events are delivered when the app goes to the background`() async throws {
    let place = try RecorderPlace()
    let (recorder, calls) = try recorder(in: place)
    try await recorder.close()
    // An engine of its own, since a notification to all would reach the recorders of other tests.
    let engine = try RecorderEngine(recorder.configuration)
    let center = NotificationCenter()
    let delivery = BackgroundDelivery(engine, center: center)
    let event = FunnelEvent("a")
    engine.post(
      .write(.event(EventQueue.Event(event: event, time: Timestamp(place.time.now), now: Moment(date: place.time.now)))))
    center.post(name: BackgroundDelivery.notification, object: nil)
    #expect(await eventually { Self.count(calls) == 1 })
    engine.abandon()
    withExtendedLifetime(delivery) {}
  }

  @Test func `without a network events stay in one file, and go when it is back`() async throws {
    let place = try RecorderPlace()
    let (recorder, calls) = try recorder(in: place) { $0 <= 1 ? .retry(after: .seconds(600)) : .delivered }
    for round in 0..<5 {
      for _ in 0..<60 { recorder.record(FunnelEvent("a")) }
      _ = await recorder.status
      if round == 0 { #expect(await eventually { await recorder.status.lastProblem?.code == .upload }) }
      place.time.advance(by: 31)
    }
    #expect(await recorder.status.closedFiles == 1)
    #expect(Self.count(calls) == 1)
    place.time.advance(by: 600)
    #expect(await eventually { Self.count(calls) == 3 })
    #expect(calls.withLock { $0.map(\.eventCount) } == [50, 250, 50])
    #expect(await eventually { await recorder.status.diskBytes == 0 })
  }

  @Test func `one bad file does not hold up what is delivered by itself`() async throws {
    let place = try RecorderPlace()
    let (delivered, badCount) = (Guarded(0), Guarded(0))
    let recorder = try place.recorder {
      $0.flushEventCount = 10
      $0.uploader = ClosureUploader { file in
        let text = (try? gunzip(file.url.path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard !text.contains(#""name":"bad""#) else {
          badCount.withLock { $0 += 1 }
          return .retry(after: .automatic)
        }
        delivered.withLock { $0 += file.eventCount }
        return .delivered
      }
    }
    recorder.record(FunnelEvent("bad"))
    try await recorder.flush()
    for round in 1...4 {
      for _ in 0..<10 { recorder.record(FunnelEvent("good")) }
      #expect(await eventually { delivered.withLock { $0 } == 10 * round && badCount.withLock { $0 } == 1 + round }, "\(round)")
      _ = await recorder.status
    }
    #expect(await recorder.status.closedFiles == 1)
  }

  @Test func `without an answer a second file is tried, and no third`() async throws {
    let place = try RecorderPlace()
    let (recorder, calls) = try recorder(in: place) { _ in .retry(after: .automatic) }
    for round in 1...5 {
      for _ in 0..<50 { recorder.record(FunnelEvent("a")) }
      #expect(await eventually { await recorder.status.closedFiles == min(round, 2) && Self.count(calls) == min(round, 2) })
      _ = await recorder.status
    }
    #expect(place.problemCodes == [.upload, .upload])
  }

  @Test func `a server that asks for no delay is not asked again without end`() async throws {
    let place = try RecorderPlace()
    let (recorder, calls) = try recorder(in: place) { _ in .retry(after: .seconds(0)) }
    recorder.record(FunnelEvent("a"))
    #expect(try await recorder.flush() == EventRecorder.Delivery(kept: 1))
    #expect(await eventually { place.time.delays.last == 10 })
    #expect(Self.count(calls) == 1)
  }

  @Test func `flush without an uploader keeps all`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder()
    recorder.record(FunnelEvent("a"))
    #expect(try await recorder.flush() == EventRecorder.Delivery(kept: 1))
    #expect(try await recorder.flush() == EventRecorder.Delivery(kept: 1))
  }

  @Test func `flush with nothing to deliver returns at once`() async throws {
    let place = try RecorderPlace()
    let (recorder, _) = try recorder(in: place)
    #expect(try await recorder.flush() == EventRecorder.Delivery())
  }

  @Test func `flushes at the same time all return`() async throws {
    let place = try RecorderPlace()
    let (recorder, _) = try recorder(in: place)
    let deliveries = try await withThrowingTaskGroup(of: EventRecorder.Delivery.self) { group in
      for _ in 0..<8 {
        group.addTask {
          recorder.record(FunnelEvent("a"))
          return try await recorder.flush()
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(deliveries.allSatisfy { $0.kept == 0 && $0.delivered <= 8 })
    #expect(await recorder.status.closedFiles == 0)
  }

  @Test func `a device with a wrong clock tells the same clock with each event and each try`() async throws {
    let place = try RecorderPlace()
    place.time.advance(by: 40 * 86_400)
    let (recorder, calls) = try recorder(in: place) { $0 <= 1 ? .retry(after: .automatic) : .delivered }
    recorder.record(FunnelEvent("a"))
    try await recorder.flush()
    let ahead = try #require(try place.events().first)
    #expect(ahead["ts"]?.string == "2026-12-30T10:00:00.000Z" && ahead["sent_at"]?.string == "2026-12-30T10:00:00.000Z")
    // The clock is set right. The events of another clock go into a file of their own.
    recorder.record(FunnelEvent("b"))
    place.time.advance(by: -40 * 86_400)
    recorder.record(FunnelEvent("c"))
    let delivery = try await recorder.flush()
    // The clock's change may have begun the second try of the first file before.
    #expect(delivery.kept == 0 && delivery.discarded == 0, "\(delivery)")
    #expect(await recorder.status.closedFiles == 0)
    #expect(Set(calls.withLock { $0.map(\.sentAt) }).count == 2)
    #expect(Set(calls.withLock { $0.map(\.url) }).count == 3)
  }
}
