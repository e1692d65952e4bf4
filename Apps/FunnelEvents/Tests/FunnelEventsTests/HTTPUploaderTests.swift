@testable import FunnelEvents
import Foundation
import Testing

/// What is sent to `funnel collect`, and what each answer means.
@Suite struct HTTPUploaderTests {
  /// Records events, delivers them to a server, and returns what became of them.
  private func deliver(
    _ names: [String], to server: TestServer, from place: RecorderPlace
  ) async throws -> (EventRecorder, EventRecorder.Delivery) {
    let recorder = try place.recorder { $0.uploader = HTTPUploader(url: server.url, key: "wk_demo") }
    for name in names { recorder.record(FunnelEvent(name)) }
    return (recorder, try await recorder.flush())
  }

  @Test func `a file is one POST with the key, the time and the events`() async throws {
    let place = try RecorderPlace()
    let server = try TestServer { _, _ in TestServer.answer(200, body: #"{"accepted":2,"rejected":[]}"#) }
    let (recorder, delivery) = try await deliver(["a", "b"], to: server, from: place)
    #expect(delivery == EventRecorder.Delivery(delivered: 2))
    let request = try #require(server.requests.withLock { $0.first })
    #expect(request.line == "POST /v1/events HTTP/1.1")
    #expect(request.headers["authorization"] == "Bearer wk_demo")
    #expect(request.headers["content-encoding"] == "gzip")
    #expect(request.headers["content-type"] == "application/x-ndjson")
    #expect(request.headers["funnel-sent-at"] == "2026-11-20T10:00:00.000Z")
    #expect(request.events.compactMap { JSONNode(parsing: $0)?["name"]?.string } == ["a", "b"])
    #expect(request.events.allSatisfy { !$0.contains("sent_at") })
    #expect(try place.eventFiles().isEmpty)
    #expect(await recorder.status.closedFiles == 0)
  }

  @Test(arguments: ["<html>Log in to the network</html>", "", "ok", "[]", "{}"])
  func `a file stays if something else than funnel collect answers with 200`(body: String) async throws {
    let place = try RecorderPlace()
    let server = try TestServer { _, _ in TestServer.answer(200, body: body) }
    let (_, delivery) = try await deliver(["a", "b"], to: server, from: place)
    #expect(delivery.delivered == 0 && delivery.kept == 2)
    #expect(try place.events().count == 2)
  }

  @Test(arguments: [
    (200, UploadResult.delivered),
    (408, .retry(after: .automatic, reason: "the server answered with status 408")),
    (429, .retry(after: .automatic, reason: "the server answered with status 429")),
    (500, .retry(after: .automatic, reason: "the server answered with status 500")),
    (503, .retry(after: .automatic, reason: "the server answered with status 503")),
    (401, .retry(after: .atMost(seconds: 3600), reason: "the server does not know the key (status 401); check the key")),
    (403, .retry(after: .atMost(seconds: 3600), reason: "the server does not know the key (status 403); check the key")),
    (400, .discard(reason: "the server refuses the file with status 400")),
    (413, .discard(reason: "the server refuses the file with status 413")),
    (415, .discard(reason: "the server refuses the file with status 415")),
    (302, .retry(after: .automatic, reason: "the server answered with status 302")),
    (404, .retry(after: .automatic, reason: "the server answered with status 404")),
  ])
  func `each status has its result`(status: Int, result: UploadResult) async throws {
    let server = try TestServer { _, _ in TestServer.answer(status, "Location: http://127.0.0.1:1/elsewhere") }
    let folder = try TemporaryFolder()
    try folder.write(GzipFile.compress(Array("{}\n".utf8)), to: "a.gz")
    let file = EventFile(url: URL(fileURLWithPath: folder.path("a.gz")), eventCount: 1, sentAt: Date())
    #expect(await HTTPUploader(url: server.url, key: "k").upload(file) == result)
    #expect(server.requests.withLock { $0.count } == 1)
  }

  @Test(arguments: [
    ("120", RetryDelay.seconds(120)), ("0", .seconds(0)), ("-5", .seconds(0)), ("1e9", .seconds(86_400)),
    ("Fri, 20 Nov 2026 10:01:30 GMT", .seconds(90)), ("Fri, 20 Nov 2026 09:00:00 GMT", .seconds(0)), ("soon", .automatic),
    ("nan", .automatic),
  ])
  func `Retry-After is a number of seconds or a date`(text: String, delay: RetryDelay) {
    let now = Date(timeIntervalSince1970: 1_795_168_800)
    let answer = HTTPUploader.Answer(status: 503, retryAfter: text, body: Data())
    let result = HTTPUploader.result(of: answer, now: now)
    #expect(result == .retry(after: delay, reason: "the server answered with status 503"))
  }

  @Test func `no answer keeps the file`() async throws {
    let place = try RecorderPlace()
    let server = try TestServer { _, _ in nil }
    let (recorder, delivery) = try await deliver(["a"], to: server, from: place)
    #expect(delivery == EventRecorder.Delivery(kept: 1))
    #expect(place.problemCodes == [.upload])
    #expect(await recorder.status.closedFiles == 1)
  }

  @Test func `a server that asks to wait gets no request before, not even by a flush`() async throws {
    let place = try RecorderPlace()
    let server = try TestServer { number, _ in
      number == 0 ? TestServer.answer(429, "Retry-After: 120") : TestServer.answer(200)
    }
    let (recorder, delivery) = try await deliver(["a"], to: server, from: place)
    #expect(delivery == EventRecorder.Delivery(kept: 1))
    recorder.record(FunnelEvent("b"))
    #expect(try await recorder.flush() == EventRecorder.Delivery(kept: 2))
    #expect(server.requests.withLock { $0.count } == 1)
    #expect(await eventually { place.time.delays.contains(120) })
    place.time.advance(by: 121)
    #expect(await eventually { await recorder.status.closedFiles == 0 })
    let times = server.requests.withLock { $0.map { $0.headers["funnel-sent-at"] } }
    #expect(times == ["2026-11-20T10:00:00.000Z", "2026-11-20T10:02:01.000Z", "2026-11-20T10:02:01.000Z"])
  }

  @Test(arguments: [401, 403]) func `an unknown key keeps all files, which are tried again after an hour`(status: Int)
    async throws
  {
    let place = try RecorderPlace()
    let isKeyKnown = Guarded(false)
    let server = try TestServer { _, _ in TestServer.answer(isKeyKnown.withLock { $0 } ? 200 : status) }
    let (recorder, delivery) = try await deliver(["a"], to: server, from: place)
    #expect(delivery == EventRecorder.Delivery(kept: 1))
    for _ in 0..<50 { recorder.record(FunnelEvent("b")) }
    #expect(await recorder.status.closedFiles == 1)
    // The maximum age of each of the two files, and the delay.
    #expect(await eventually { place.time.delays.count(where: { $0 == 3600 }) == 3 })
    place.time.advance(by: 3599)
    _ = await recorder.status
    #expect(server.requests.withLock { $0.count } == 1)
    #expect(place.problemCodes == [.upload])
    isKeyKnown.withLock { $0 = true }
    place.time.advance(by: 1)
    #expect(await eventually { server.requests.withLock { $0.count } == 3 })
    #expect(await eventually { await recorder.status.diskBytes == 0 })
  }

  @Test func `a flush and a launch try an unknown key again at once, with one file`() async throws {
    let place = try RecorderPlace()
    let isKeyKnown = Guarded(false)
    let server = try TestServer { _, _ in TestServer.answer(isKeyKnown.withLock { $0 } ? 200 : 401) }
    let (first, _) = try await deliver(["a"], to: server, from: place)
    first.record(FunnelEvent("b"))
    #expect(try await first.flush() == EventRecorder.Delivery(kept: 2))
    #expect(server.requests.withLock { $0.count } == 2)
    isKeyKnown.withLock { $0 = true }
    first.record(FunnelEvent("c"))
    #expect(try await first.flush() == EventRecorder.Delivery(delivered: 3))
    isKeyKnown.withLock { $0 = false }
    first.record(FunnelEvent("d"))
    #expect(try await first.flush() == EventRecorder.Delivery(kept: 1))
    try await first.close()
    isKeyKnown.withLock { $0 = true }
    let second = try place.recorder { $0.uploader = HTTPUploader(url: server.url, key: "k") }
    #expect(await eventually { await second.status.diskBytes == 0 })
  }

  @Test(
    arguments: [400, 413, 415], ["", "<html>413</html>", #"{"error":"no"}"#, #"{"code":200,"error":"no","message":"no"}"#])
  func `a file stays if something else than funnel collect refuses it`(status: Int, body: String) async throws {
    let place = try RecorderPlace()
    let server = try TestServer { _, _ in TestServer.answer(status, body: body) }
    let (recorder, delivery) = try await deliver(["a", "b"], to: server, from: place)
    #expect(delivery == EventRecorder.Delivery(kept: 2))
    #expect(await recorder.status.discarded == 0)
    let problem = try #require(place.problems.withLock { $0.first })
    #expect(problem.message.contains("(something else than funnel collect answered with status \(status));"))
    #expect(try place.events().count == 2)
  }

  @Test func `a server that resets the connection keeps the files`() async throws {
    let place = try RecorderPlace()
    let isUp = Guarded(false)
    let server = try TestServer(resetting: { !isUp.withLock { $0 } }) { _, _ in TestServer.answer(200) }
    for number in 1...16 {
      let (recorder, delivery) = try await deliver(["a"], to: server, from: place)
      #expect(delivery == EventRecorder.Delivery(kept: number))
      try await recorder.close()
    }
    #expect(server.requests.withLock { $0.isEmpty })
    isUp.withLock { $0 = true }
    let recorder = try place.recorder { $0.uploader = HTTPUploader(url: server.url, key: "k") }
    #expect(await eventually { await recorder.status.diskBytes == 0 })
    #expect(server.requests.withLock { $0.flatMap(\.events).count } == 16)
  }

  @Test(arguments: [
    ("http://events.example.com", false), ("HTTP://10.0.0.7:8090", false), ("http://localhost.example.com", false),
    ("https://events.example.com", true), ("http://localhost:8090", true), ("http://127.0.0.1:8090", true),
    ("http://[::1]:8090", true),
  ])
  func `an address without encryption is refused, unless it is this device or the app allows it`(
    address: String, isAllowed: Bool
  ) async throws {
    let place = try RecorderPlace()
    let url = try #require(URL(string: address))
    _ = try place.recorder { $0.uploader = HTTPUploader(url: url, key: "k", allowsInsecureHTTP: true) }
    let uploader = HTTPUploader(url: url, key: "k")
    guard !isAllowed else { return _ = try place.recorder { $0.uploader = uploader } }
    let sentence = "\(address) sends the key and the events without encryption; use https, or allowsInsecureHTTP"
    #expect { _ = try place.recorder { $0.uploader = uploader } } throws: { "\($0)" == "configuration: \(sentence)" }
    let file = EventFile(url: URL(fileURLWithPath: "/none"), eventCount: 1, sentAt: Date())
    #expect(await uploader.upload(file) == .retry(after: .nextLaunch, reason: sentence))
  }

  @Test(arguments: [400, 413, 415]) func `a file that the server never takes is discarded, told and counted`(
    status: Int
  ) async throws {
    let place = try RecorderPlace()
    let server = try TestServer { number, _ in TestServer.answer(number == 0 ? status : 200) }
    let (recorder, delivery) = try await deliver(["a", "b"], to: server, from: place)
    #expect(delivery == EventRecorder.Delivery(discarded: 2))
    #expect(place.problemCodes == [.discarded])
    let message = place.problems.withLock { $0[0].message }
    #expect(message.hasPrefix("2 events of events-000000000000-2-") && message.contains(".ndjson.gz are lost: "))
    #expect(await recorder.status.discarded == 2)
    recorder.record(FunnelEvent("c"))
    #expect(try await recorder.flush() == EventRecorder.Delivery(delivered: 1))
  }

  @Test func `events that the server rejects are told, counted and not sent again`() async throws {
    let place = try RecorderPlace()
    let answer =
      #"{"accepted":1,"rejected":[{"line":1,"reason":"missing_field"},{"line":3,"reason":"timestamp_out_of_range"}]}"#
    let server = try TestServer { _, _ in TestServer.answer(200, body: answer) }
    let reasons = Guarded<[String]>([])
    var configuration = EventRecorder.Configuration(
      app: "cleaner", subject: "install-1", directory: URL(fileURLWithPath: place.folder.path), deliveringTo: server.url,
      key: "k", onRejectedEvents: { new in reasons.withLock { $0 += new } })
    configuration.onProblem = place.configuration().onProblem
    let recorder = try EventRecorder(configuration)
    for name in ["a", "b", "c"] { recorder.record(FunnelEvent(name)) }
    #expect(try await recorder.flush() == EventRecorder.Delivery(delivered: 1, rejected: 2))
    #expect(reasons.withLock { $0 } == ["missing_field", "timestamp_out_of_range"])
    #expect(await recorder.status.rejectedByServer == 2)
    let problem = try #require(place.problems.withLock { $0.first })
    #expect(problem.code == .rejected)
    #expect(problem.message.hasPrefix("the server rejected 2 events of events-000000000000-3-"))
    #expect(
      problem.message.hasSuffix(
        " (missing_field: 1, timestamp_out_of_range: 1); check the device's clock, which may be more than a day wrong"))
    #expect(try place.eventFiles().isEmpty)
  }

  @Test func `one bad file does not block the others`() async throws {
    let place = try RecorderPlace()
    let server = try TestServer { _, request in
      TestServer.answer(request.events.contains { $0.contains(#""name":"bad""#) } ? 500 : 200)
    }
    let (recorder, first) = try await deliver(["bad"], to: server, from: place)
    #expect(first == EventRecorder.Delivery(kept: 1))
    for _ in 0..<3 {
      recorder.record(FunnelEvent("good"))
      #expect(try await recorder.flush() == EventRecorder.Delivery(delivered: 1, kept: 1))
    }
    #expect(await recorder.status.closedFiles == 1)
  }

  @Test func `a server that is down is asked twice at most by a flush`() async throws {
    let place = try RecorderPlace()
    let server = try TestServer { _, _ in TestServer.answer(503) }
    let offline = try place.recorder()
    for _ in 0..<5 {
      offline.record(FunnelEvent("a"))
      try await offline.closeFile()
    }
    try await offline.close()
    let recorder = try place.recorder { $0.uploader = HTTPUploader(url: server.url, key: "k") }
    #expect(try await recorder.flush() == EventRecorder.Delivery(kept: 5))
    // Twice at the launch, if that was before the flush.
    #expect(server.requests.withLock { $0.count } <= 4)
  }

  @Test func `a kill after the answer delivers the same events again, with the same IDs`() async throws {
    let place = try RecorderPlace()
    let server = try TestServer { _, _ in TestServer.answer(200) }
    let offline = try place.recorder()
    for _ in 0..<3 { offline.record(FunnelEvent("a")) }
    try await offline.closeFile()
    try await offline.close()
    let before = try place.copy()
    for place in [place, before] {
      let recorder = try place.recorder { $0.uploader = HTTPUploader(url: server.url, key: "k") }
      #expect(await eventually { await recorder.status.diskBytes == 0 })
    }
    let bodies = server.requests.withLock { $0.map(\.events) }
    #expect(bodies.count == 2 && bodies[0] == bodies[1])
    #expect(Set(bodies[0].compactMap { JSONNode(parsing: $0)?["id"]?.string }).count == 3)
  }

  @Test func `a request that is cancelled ends at once`() async throws {
    let place = try RecorderPlace()
    let server = try TestServer { _, _ in
      sleep(3)
      return nil
    }
    let recorder = try place.recorder { $0.uploader = HTTPUploader(url: server.url, key: "k") }
    recorder.record(FunnelEvent("a"))
    async let delivery = recorder.flush()
    #expect(await eventually { server.requests.withLock { $0.count } == 1 })
    try await recorder.close()
    #expect(try await delivery == EventRecorder.Delivery(kept: 1))
    #expect(try place.sequences() == [0])
  }
}
