import FunnelModel
import FunnelSystem

// What clients ask beside events, and pages of other origins.
extension Collector {
  func answer(to request: CollectRequest, _ route: CollectRoute) -> CollectAnswer {
    if request.method == "OPTIONS" { return Self.preflight(request) }
    switch route {
    case .events: preconditionFailure("workers take events")
    case .segmentSettings(let key): return isKnown(key) ? Self.segmentSettings(key) : CollectRefusal(404, "no such key").answer
    case .rudderStackConfiguration: return rudderStackConfiguration(request)
    case .postHogFlags: return .json(200, #"{"flags":{},"featureFlags":{},"errorsWhileComputingFlags":false}"#)
    case .postHogRecordings:
      parts.metrics.countRefused(dialect: Dialect.posthog.rawValue, reason: "left_out")
      return .json(200, #"{"status":1}"#)
    case .mixpanelProfiles:
      parts.metrics.countRefused(dialect: Dialect.mixpanel.rawValue, reason: "left_out")
      return isVerbose(request) ? .json(200, #"{"status":1,"error":null}"#) : .text("1")
    case .health: return .text("ok\n")
    case .metrics:
      return CollectAnswer(
        200, type: "text/plain; version=0.0.4; charset=utf-8", Array(parts.metrics.text(parts.spool.statistics).utf8))
    }
  }

  private func isKnown(_ key: String) -> Bool { keys.withLock { $0.app(for: Array(key.utf8)) } != nil }

  /// Returns whether a request for Mixpanel asks for an answer in words, in its query or in its form.
  private func isVerbose(_ request: CollectRequest) -> Bool {
    let form = String(validUTF8: request.body).flatMap { URLText.parameters($0) } ?? []
    return (request.query + form).contains { $0.name == "verbose" && $0.value == "1" }
  }

  /// Returns the settings of Segment's client for Swift.
  ///
  /// They name no host: one would replace the app's own. `httpConfig` makes the client obey `Retry-After`.
  private static func segmentSettings(_ key: String) -> CollectAnswer {
    var text: [UInt8] = []
    text.appendJSONString(key)
    let key = String(decoding: text, as: UTF8.self)
    return .json(
      200,
      #"{"integrations":{"Segment.io":{"apiKey":\#(key),"httpConfig":{"rateLimitConfig":{},"backoffConfig":{}}}}}"#)
  }

  private func rudderStackConfiguration(_ request: CollectRequest) -> CollectAnswer {
    let reader = BatchReader(request: request, inflate: parts.inflate) { key in
      self.keys.withLock { $0.app(for: Array(key.utf8)) }
    }
    let keys = reader.headerKeys + [request.parameter("writeKey")].compactMap(\.self)
    for key in keys {
      guard let app = reader.app(key) else { continue }
      var text: [UInt8] = []
      text.appendJSONString(key)
      let key = String(decoding: text, as: UTF8.self)
      return .json(
        200,
        #"{"source":{"id":"\#(app)","name":"\#(app)","writeKey":\#(key),"enabled":true,"workspaceId":"funnel","updatedAt":"2026-11-20T00:00:00.000Z","config":{"statsCollection":{"errors":{"enabled":false},"metrics":{"enabled":false}}},"destinations":[]}}"#
      )
    }
    return CollectRefusal(401, "invalid write key").answer
  }

  /// Returns the answer to a browser that asks whether a page may send a request.
  private static func preflight(_ request: CollectRequest) -> CollectAnswer {
    var answer = CollectAnswer(204, type: "text/plain", [])
    answer.headers = [("Access-Control-Allow-Methods", "POST, GET, OPTIONS")]
    if let wanted = request.header("access-control-request-headers") {
      answer.headers.append(("Access-Control-Allow-Headers", wanted))
    }
    return answer
  }

  /// Returns an answer with the headers that let a page of an allowed origin read it, and without them for any other page.
  func withOrigin(_ answer: CollectAnswer, _ request: CollectRequest) -> CollectAnswer {
    var answer = answer
    guard let origin = request.header("origin"), parts.allowedOrigins.contains(origin) else {
      answer.headers.removeAll { $0.name.hasPrefix("Access-Control-") }
      return answer
    }
    answer.headers += [
      ("Access-Control-Allow-Origin", origin), ("Vary", "Origin"), ("Access-Control-Allow-Credentials", "true"),
    ]
    return answer
  }
}
