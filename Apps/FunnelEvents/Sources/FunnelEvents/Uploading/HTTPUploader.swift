public import Foundation
#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Delivers files to `funnel collect`: `POST URL/v1/events`, with the key of the app.
///
///     HTTPUploader(url: URL(string: "https://events.example.com")!, key: "wk_…")
///
/// Requests are those of a session in the process, not of one in the background. The system decides when a background session sends, hours
/// later if it likes, and repeats requests by itself, with the time of sending of the first. Files that are not delivered before the app is
/// suspended are delivered at its next launch, in their order.
public struct HTTPUploader: EventUploader {
  /// The address of `funnel collect`, without `/v1/events`.
  public let url: URL
  /// Receives the reasons for which the server rejected single events. It keeps them as dead letters; there is nothing to send again.
  public var onRejectedEvents: (@Sendable (_ reasons: [String]) -> Void)?

  private let key: String
  private let client: Client

  /// Creates an uploader.
  ///
  /// - Parameters:
  ///   - url: The address of `funnel collect`, such as `https://events.example.com`.
  ///   - key: The key of the app. It only permits sending events, so it may be part of the app.
  ///   - session: The session's configuration, such as for a proxy. It must not be one for the background.
  public init(url: URL, key: String, session: URLSessionConfiguration = .ephemeral) {
    self.url = url
    self.key = key
    client = Client(session)
  }

  /// The header `Funnel-Sent-At` does it.
  public var tellsTimeOfSending: Bool { true }

  public func upload(_ file: EventFile) async -> UploadResult {
    var request = URLRequest(url: url.appendingPathComponent("v1/events"))
    request.httpMethod = "POST"
    request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
    request.setValue("application/x-ndjson", forHTTPHeaderField: "Content-Type")
    request.setValue("gzip", forHTTPHeaderField: "Content-Encoding")
    request.setValue("\(Timestamp(file.sentAt))", forHTTPHeaderField: "Funnel-Sent-At")
    switch await client.send(request, body: file.url) {
    case .failure(let error): return .retry(after: .automatic, reason: "no answer: \(error.localizedDescription)")
    case .success(let answer):
      if answer.status == Self.delivered {
        guard Self.isOfCollector(answer.body) else {
          return .retry(
            after: .automatic, reason: "\(url.absoluteString) is not funnel collect, although it answers with 200; check it")
        }
        reportRejectedEvents(in: answer.body)
      }
      return Self.result(status: answer.status, retryAfter: answer.retryAfter, now: Date())
    }
  }

  /// Whether the body of an answer is that of `funnel collect`. A login page of a network, or a page for any address, answers with 200 too.
  private static func isOfCollector(_ body: Data) -> Bool {
    let answer = try? JSONSerialization.jsonObject(with: body) as? [String: Any]
    return answer?["accepted"] is Int
  }

  private func reportRejectedEvents(in body: Data) {
    guard let onRejectedEvents,
      let answer = try? JSONSerialization.jsonObject(with: body) as? [String: Any],
      let rejected = answer["rejected"] as? [[String: Any]], !rejected.isEmpty
    else { return }
    onRejectedEvents(rejected.compactMap { $0["reason"] as? String })
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
