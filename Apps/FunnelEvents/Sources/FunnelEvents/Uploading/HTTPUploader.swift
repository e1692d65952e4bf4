public import Foundation
#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Delivers files to `funnel collect`: `POST URL/v1/events`, with the key of the app.
///
///     HTTPUploader(url: URL(string: "https://events.example.com")!, key: "wk_…")
///
/// It does not use a background session: the system would decide when that one sends, perhaps hours later, and would repeat a request with the
/// time of sending of the first one. Files that are not delivered before the app is suspended are delivered when it runs again, in their order.
public struct HTTPUploader: EventUploader {
  /// The address of `funnel collect`, without `/v1/events`.
  public let url: URL
  /// Receives the reasons for which the server rejected single events, such as `timestamp_out_of_range`, one for each event. The server keeps
  /// the events as dead letters, so there is nothing to send again.
  public var onRejectedEvents: (@Sendable (_ reasons: [String]) -> Void)?

  private let key: String
  private let client: Client

  /// Creates an uploader.
  ///
  /// - Parameters:
  ///   - url: The address of `funnel collect`, such as `https://events.example.com`.
  ///   - key: The key of the app. It only permits sending events, so it may be part of the app.
  ///   - session: The session's configuration, such as for a proxy. It must not be one for the background.
  ///   - onRejectedEvents: Receives the reasons for which the server rejected single events.
  public init(
    url: URL, key: String, session: URLSessionConfiguration = .ephemeral,
    onRejectedEvents: (@Sendable (_ reasons: [String]) -> Void)? = nil
  ) {
    self.url = url
    self.key = key
    self.onRejectedEvents = onRejectedEvents
    client = Client(session)
  }

  /// Always `true`: each request has the header `Funnel-Sent-At`.
  public var tellsTimeOfSending: Bool { true }

  public func upload(_ file: EventFile) async -> UploadResult {
    var request = URLRequest(url: url.appendingPathComponent("v1/events"))
    request.httpMethod = "POST"
    request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
    request.setValue("application/x-ndjson", forHTTPHeaderField: "Content-Type")
    if file.url.pathExtension == "gz" { request.setValue("gzip", forHTTPHeaderField: "Content-Encoding") }
    request.setValue("\(Timestamp(file.sentAt))", forHTTPHeaderField: "Funnel-Sent-At")
    switch await client.send(request, body: file.url) {
    case .failure(let error): return .retry(after: .automatic, reason: "no answer: \(error.localizedDescription)")
    case .success(let answer):
      guard answer.status == Self.delivered else {
        return Self.result(status: answer.status, retryAfter: answer.retryAfter, now: Date())
      }
      guard let reasons = Self.rejectedEvents(in: answer.body) else {
        return .retry(
          after: .automatic, reason: "\(url.absoluteString) is not funnel collect, although it answers with 200; check it")
      }
      guard !reasons.isEmpty else { return .delivered }
      onRejectedEvents?(reasons)
      return .partlyDelivered(rejected: reasons)
    }
  }

  /// Returns the reasons for which the collector rejected events, one for each, or `nil` if a body is not that of `funnel collect`: a login
  /// page of a network, or a page for any address, answers with 200 too.
  private static func rejectedEvents(in body: Data) -> [String]? {
    let answer = try? JSONSerialization.jsonObject(with: body) as? [String: Any]
    guard let answer, answer["accepted"] is Int else { return nil }
    let rejected = answer["rejected"] as? [[String: Any]] ?? []
    return rejected.map { $0["reason"] as? String ?? "unknown" }
  }
}

// The meaning of a status.
extension HTTPUploader {
  private static let delivered = 200

  /// The longest delay that is obeyed, a day. More would be a mistake of the server, or of a proxy before it.
  private static let retryAfterMax: TimeInterval = 86_400

  /// Returns the upload result for an HTTP status.
  ///
  /// | status | result |
  /// |---|---|
  /// | 200 with the answer of `funnel collect` | delivered |
  /// | 408, 429, 5xx, no answer | retry, after `Retry-After` where the server says it |
  /// | 401 | retry at the next launch: the key is unknown, and the events can't help it |
  /// | 400, 413, 415 | discard |
  /// | any other | retry: it is the answer of something else than `funnel collect`, such as a proxy or a wrong address |
  static func result(status: Int, retryAfter: String?, now: Date) -> UploadResult {
    switch status {
    case delivered: return .delivered
    case 400, 413, 415: return .discard(reason: "the server refuses the file with status \(status)")
    case 401: return .retry(after: .nextLaunch, reason: "the server does not know the key (status 401); check the key")
    default:
      let delay = retryAfter.flatMap { seconds(until: $0, now: now) }
      return .retry(after: delay.map { .seconds($0) } ?? .automatic, reason: "the server answered with status \(status)")
    }
  }

  /// Returns the delay of a `Retry-After`, in seconds or as a date of HTTP (RFC 9110, section 10.2.3).
  private static func seconds(until text: String, now: Date) -> TimeInterval? {
    if let seconds = TimeInterval(text), seconds.isFinite { return min(max(seconds, 0), retryAfterMax) }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    return format.date(from: text).map { min(max($0.timeIntervalSince(now), 0), retryAfterMax) }
  }
}
