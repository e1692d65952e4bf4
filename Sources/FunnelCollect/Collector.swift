import Dispatch
package import FunnelModel
import FunnelSystem
import FunnelDecoding

/// Takes requests of clients, puts their events into a spool, and answers when they are on the disk.
///
/// Safe for many threads.
package final class Collector: Sendable {
  /// What a collector needs.
  package struct Parts: Sendable {
    package var keys: CollectKeys
    package var spool: Spool
    package var metrics: CollectMetrics
    package var privacy: PrivacyRules
    /// Whether the ingest replaces IDs by pseudonyms, so that they may be personal data.
    package var awaitsPseudonyms = false
    /// The origins whose pages may send events.
    package var allowedOrigins: Set<String> = []
    /// The most records that a key may send in a minute, or `nil` if there is no limit.
    package var recordsPerMinuteMax: Int?
    /// Tells the operator what needs attention, such as that events can't be written. The sentence has no data of clients.
    package var notify: @Sendable (_ sentence: String) -> Void = { _ in }
    /// Inflates gzip data that a client sent without saying so.
    package var inflate: @Sendable (_ gzip: [UInt8]) throws(CollectRefusal) -> [UInt8]

    package init(
      keys: CollectKeys, spool: Spool, metrics: CollectMetrics, privacy: PrivacyRules,
      inflate: @escaping @Sendable (_ gzip: [UInt8]) throws(CollectRefusal) -> [UInt8]
    ) {
      self.keys = keys
      self.spool = spool
      self.metrics = metrics
      self.privacy = privacy
      self.inflate = inflate
    }
  }

  let parts: Parts
  let keys: Guarded<CollectKeys>
  private let workers: TranslationWorkers
  /// The failure of the last write, or `nil` if it succeeded.
  private let lastFailure = Guarded<SpoolFailure?>(nil)
  /// The apps with a client whose clock can't be corrected. The operator is told of each app once.
  private let appsWithStaleClocks = Guarded<Set<String>>([])
  /// The records that each key may still send, or `nil` if there is no limit.
  private let allowance: KeyAllowance?

  /// Creates a collector and its threads.
  package init(_ parts: Parts, threads: Int) {
    self.parts = parts
    keys = Guarded(parts.keys)
    workers = TranslationWorkers(count: threads) {
      BatchTranslator(privacy: parts.privacy, awaitsPseudonyms: parts.awaitsPseudonyms)
    }
    allowance = parts.recordsPerMinuteMax.map(KeyAllowance.init(recordsPerMinuteMax:))
  }

  /// Replaces the keys by those of a file. Returns what is wrong if the old ones stay, or `nil`.
  package func reloadKeys(from path: String) -> String? {
    let current = keys.withLock { $0 }
    let (loaded, problem) = current.reloaded(from: path)
    keys.withLock { $0 = loaded }
    return problem
  }

  /// Ends the threads after the requests in progress. The spool stays open.
  package func close() { workers.close() }

  /// Answers a request whose body was read.
  ///
  /// - Parameter respond: Called once, on any thread.
  package func take(_ request: CollectRequest, respond: @escaping @Sendable (CollectAnswer) -> Void) {
    guard let route = CollectRoute(path: request.path) else {
      return respond(withOrigin(CollectRefusal(404, "no such path").answer, request))
    }
    guard case .events(let endpoint) = route, request.method != "OPTIONS" else {
      return respond(withOrigin(answer(to: request, route), request))
    }
    workers.run { translator in
      self.take(request, endpoint, translator) { respond(self.withOrigin($0, request)) }
    }
  }

  /// Returns the refusal of a request by its head alone, or `nil` if its body is to be read.
  package func refusal(
    ofMethod method: String, path: [String], headers: [(name: String, value: String)]
  ) -> CollectAnswer? {
    let request = CollectRequest(method: method, path: path, headers: headers, receivedAt: Timestamp(milliseconds: 0))
    guard let route = CollectRoute(path: path) else { return withOrigin(CollectRefusal(404, "no such path").answer, request) }
    guard method != "OPTIONS", !route.methods.contains(method) else { return nil }
    var answer = CollectRefusal(405, "this path takes \(route.methods.joined(separator: ", "))").answer
    answer.headers.append(("Allow", (route.methods + ["OPTIONS"]).joined(separator: ", ")))
    return withOrigin(answer, request)
  }

  /// Returns the answer to a refused request, with what its dialect needs.
  ///
  /// - Parameter path: The path of the request, or `nil` if its head could not be read.
  package func answer(to refusal: CollectRefusal, path: [String]?, headers: [(name: String, value: String)]) -> CollectAnswer {
    let request = CollectRequest(method: "POST", path: path ?? [], headers: headers, receivedAt: Timestamp(milliseconds: 0))
    guard let path, case .events(let endpoint) = CollectRoute(path: path) else { return withOrigin(refusal.answer, request) }
    parts.metrics.countRequest(dialect: endpoint.dialect.rawValue, status: refusal.status)
    return withOrigin(Self.answer(to: refusal, endpoint, request), request)
  }
}

// Taking events.
extension Collector {
  private func take(
    _ request: CollectRequest, _ endpoint: EventEndpoint, _ translator: BatchTranslator,
    respond: @escaping @Sendable (CollectAnswer) -> Void
  ) {
    let metrics = parts.metrics
    let refuse: @Sendable (CollectRefusal, Dialect) -> Void = { refusal, dialect in
      metrics.countRequest(dialect: dialect.rawValue, status: refusal.status)
      respond(Self.answer(to: refusal, endpoint, request))
    }
    do throws(CollectRefusal) {
      let reader = BatchReader(request: request, inflate: parts.inflate) { key in
        self.keys.withLock { $0.app(for: Array(key.utf8)) }
      }
      let (batch, access) = try reader.read(endpoint)
      try self.requireAllowance(batch.records.count, access, at: request.receivedAt)
      let spool = parts.spool
      var total = TranslatedBatch()
      translator.translate(batch, access, receivedAt: request.receivedAt) { piece, isLast in
        total.addCounts(of: piece)
        var letters: [UInt8] = []
        for letter in piece.deadLetters { letter.appendJSON(at: request.receivedAt, to: &letters) }
        let written = SpoolBatch(events: piece.events, deadLetters: letters)
        guard isLast else {
          let failure = spool.appendAndWait(written)
          self.noteWriting(failure)
          guard let failure else { return true }
          refuse(CollectRefusal(503, failure.sentence), batch.dialect)
          return false
        }
        let answer = batch.answer.answer(to: total, receivedAt: request.receivedAt)
        let dialect = batch.dialect
        let counts = Counts(total)
        let taken: @Sendable () -> Void = {
          counts.add(to: metrics, dialect: dialect, app: access.app)
          if counts.hasStale { self.noteStaleClock(app: access.app) }
          metrics.countRequest(dialect: dialect.rawValue, status: answer.status)
          respond(answer)
        }
        guard written.byteCount > 0 else {
          taken()
          return true
        }
        spool.append(written) { result in
          switch result {
          case .success:
            self.noteWriting(nil)
            taken()
          case .failure(let failure):
            self.noteWriting(failure)
            refuse(CollectRefusal(503, failure.sentence), dialect)
          }
        }
        return true
      }
    } catch {
      refuse(error, endpoint.dialect)
    }
  }

  /// Counts the records of a batch for its key.
  ///
  /// - Throws: A refusal with 429 if the key has no allowance left in this minute.
  private func requireAllowance(_ count: Int, _ access: BatchReader.Access, at time: Timestamp) throws(CollectRefusal) {
    switch allowance?.take(count, of: access.key, at: time) {
    case nil, .allowed: return
    case .exhausted(let isFirst):
      if isFirst {
        parts.notify(
          "a key of \(access.app) sends more than --max-events-per-minute, so its clients get 429; if nobody expects that, replace the key"
        )
      }
      throw CollectRefusal(429, "too many events in a minute, try again later")
    }
  }

  /// Tells the operator once for an app that clocks of its clients can't be corrected.
  private func noteStaleClock(app: String) {
    guard appsWithStaleClocks.withLock({ $0.insert(app).inserted }) else { return }
    parts.notify(
      "events of \(app) say a time of sending too far from that of their receipt, so they keep the times of their devices; "
        + "funnel_collect_stale_sent_at_total in /metrics counts them")
  }

  /// Tells the operator when writing begins to fail, and when it succeeds again.
  private func noteWriting(_ failure: SpoolFailure?) {
    let hasChanged = lastFailure.withLock { last in
      defer { last = failure }
      return (last == nil) != (failure == nil)
    }
    guard hasChanged else { return }
    switch failure {
    case nil: parts.notify("events are written again")
    case .full: parts.notify("the spool is full, so clients get 503: ingest its files, or raise --spool-limit")
    case .failed(let message):
      parts.notify(
        "events can't be written, so clients get 503 and have to send them again: \(message); the server tries each request anew, "
          + "so it need not be restarted")
    case .overloaded: parts.notify("more events come than can be written, so clients get 503")
    case .closed: break
    }
  }

  /// The counts of a batch, which are added when it is on the disk.
  private struct Counts: Sendable {
    private let events: Int
    private let stale: Int
    private let leftOut: Int
    private let refused: [String: Int]

    /// Whether events have a time of sending that corrects no clock.
    var hasStale: Bool { stale > 0 }

    init(_ batch: borrowing TranslatedBatch) {
      events = batch.eventCount
      stale = batch.staleCount
      leftOut = batch.leftOutCount
      refused = Dictionary(batch.refused.map { ($0.reason.rawValue, 1) }, uniquingKeysWith: +)
    }

    func add(to metrics: CollectMetrics, dialect: Dialect, app: String) {
      metrics.countEvents(events, dialect: dialect.rawValue, app: app)
      if stale > 0 { metrics.countStaleSentAt(stale) }
      if leftOut > 0 { metrics.countRefused(leftOut, dialect: dialect.rawValue, reason: "left_out") }
      for (reason, count) in refused { metrics.countRefused(count, dialect: dialect.rawValue, reason: reason) }
    }
  }

  /// Returns the answer to a refusal, as the clients of an endpoint read it.
  private static func answer(
    to refusal: CollectRefusal, _ endpoint: EventEndpoint, _ request: CollectRequest
  ) -> CollectAnswer {
    var answer = refusal.answer
    if endpoint == .otlpLogs, request.header("content-type")?.hasPrefix(ProtobufMessage.contentType) ?? false {
      // A google.rpc.Status, of which clients read the message.
      answer = CollectAnswer(
        refusal.status, type: ProtobufMessage.contentType, ProtobufMessage.bytes(Array(refusal.message.utf8), field: 2))
    }
    switch refusal.status {
    case 503: answer.headers.append(("Retry-After", String(endpoint.retrySeconds)))
    case 429:
      let seconds = max(endpoint.retrySeconds, KeyAllowance.secondsLeft(at: request.receivedAt))
      answer.headers.append(("Retry-After", String(seconds)))
    default: break
    }
    if refusal.status == 401, endpoint == .native { answer.headers.append(("WWW-Authenticate", "Bearer")) }
    return answer
  }
}

extension Spool {
  /// Appends a piece of a large batch, and waits until it is on the disk. Returns the failure, or `nil`.
  fileprivate func appendAndWait(_ batch: SpoolBatch) -> SpoolFailure? {
    guard batch.byteCount > 0 else { return nil }
    let written = DispatchSemaphore(value: 0)
    let outcome = Guarded<SpoolFailure?>(nil)
    append(batch) { result in
      if case .failure(let failure) = result { outcome.withLock { $0 = failure } }
      written.signal()
    }
    written.wait()
    return outcome.withLock { $0 }
  }
}

extension SpoolFailure {
  /// The reason for a client. It names no path.
  fileprivate var sentence: String {
    switch self {
    case .full: "the spool is full, try again later"
    case .overloaded: "too many events are waiting, try again later"
    case .failed: "the events could not be written, try again later"
    case .closed: "the collector is stopping, try again later"
    }
  }
}

extension Collector {
  /// Whether clients may compress the bodies of requests to a path with Zstandard.
  package static func allowsZstandard(path: [String]) -> Bool { CollectRoute(path: path) == .events(.postHogV1) }
}
