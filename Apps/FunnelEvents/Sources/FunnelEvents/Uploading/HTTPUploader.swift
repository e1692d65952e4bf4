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

  /// Whether `url` may begin with `http://`, so that the key and the events can be read on their way.
  public let allowsInsecureHTTP: Bool

  private let key: String
  private let client: Client

  /// Creates an uploader.
  ///
  /// - Parameters:
  ///   - url: The address of `funnel collect`, such as `https://events.example.com`.
  ///   - key: The key of the app. It only permits sending events, so it may be part of the app.
  ///   - session: The session's configuration, such as for a proxy. It must not be one for the background.
  ///   - allowsInsecureHTTP: Whether `url` may begin with `http://`. Without it, only `localhost`, `127.0.0.1` and `::1` may, and an
  ///     ``EventRecorder`` with another such address is not created.
  ///   - onRejectedEvents: Receives the reasons for which the server rejected single events.
  public init(
    url: URL, key: String, session: URLSessionConfiguration = .ephemeral, allowsInsecureHTTP: Bool = false,
    onRejectedEvents: (@Sendable (_ reasons: [String]) -> Void)? = nil
  ) {
    self.url = url
    self.key = key
    self.allowsInsecureHTTP = allowsInsecureHTTP
    self.onRejectedEvents = onRejectedEvents
    client = Client(session)
  }

  /// Always `true`: each request has the header `Funnel-Sent-At`.
  public var tellsTimeOfSending: Bool { true }

  public func upload(_ file: EventFile) async -> UploadResult {
    do throws(EventRecorderError) {
      try requireSecureAddress()
    } catch {
      // An uploader inside one of the app's own reaches this.
      return .retry(after: .nextLaunch, reason: error.message)
    }
    var request = URLRequest(url: url.appendingPathComponent("v1/events"))
    request.httpMethod = "POST"
    request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
    request.setValue("application/x-ndjson", forHTTPHeaderField: "Content-Type")
    if file.url.pathExtension == "gz" { request.setValue("gzip", forHTTPHeaderField: "Content-Encoding") }
    request.setValue("\(Timestamp(file.sentAt))", forHTTPHeaderField: "Funnel-Sent-At")
    switch await client.send(request, body: file.url) {
    case .failure(let error): return .retry(after: .automatic, reason: "no answer: \(error.localizedDescription)")
    case .success(let answer):
      guard answer.status == Self.delivered else { return Self.result(of: answer, now: Date()) }
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

// The safety of the address.
extension HTTPUploader {
  /// The names and addresses of the device itself. Requests to them do not leave the device.
  private static let ownHosts: Set<String> = ["localhost", "127.0.0.1", "::1", "[::1]"]

  /// Throws if the key and the events would be sent without encryption, although the app does not allow that.
  func requireSecureAddress() throws(EventRecorderError) {
    guard url.scheme?.lowercased() == "http", !allowsInsecureHTTP else { return }
    guard !Self.ownHosts.contains(url.host?.lowercased() ?? "") else { return }
    throw EventRecorderError(
      .configuration, "\(url.absoluteString) sends the key and the events without encryption; use https, or allowsInsecureHTTP")
  }
}

// The meaning of a status.
extension HTTPUploader {
  private static let delivered = 200

  /// The longest delay that is obeyed, a day. More would be a mistake of the server, or of a proxy before it.
  private static let retryAfterMax: TimeInterval = 86_400

  /// The delay after an unknown key, an hour, in seconds.
  private static let keyDelay: TimeInterval = 3600

  /// Returns the upload result for an answer whose status is not 200.
  ///
  /// | status | result |
  /// |---|---|
  /// | 200 with the answer of `funnel collect` | delivered |
  /// | 408, 429, 5xx, no answer | retry, after `Retry-After` where the server says it |
  /// | 401, 403 | retry after an hour, at the next launch or by a flush: the key is unknown, and the events can't help it |
  /// | 400, 413, 415 with the answer of `funnel collect` | discard |
  /// | any other | retry: it is the answer of something else than `funnel collect`, such as a proxy or a wrong address |
  static func result(of answer: Answer, now: Date) -> UploadResult {
    let status = answer.status
    switch status {
    case 400, 413, 415:
      guard isRefusal(answer) else {
        return .retry(after: .automatic, reason: "something else than funnel collect answered with status \(status)")
      }
      return .discard(reason: "the server refuses the file with status \(status)")
    case 401, 403:
      return .retry(
        after: .atMost(seconds: keyDelay), reason: "the server does not know the key (status \(status)); check the key")
    default:
      let delay = answer.retryAfter.flatMap { seconds(until: $0, now: now) }
      return .retry(after: delay.map { .seconds($0) } ?? .automatic, reason: "the server answered with status \(status)")
    }
  }

  /// Returns whether `funnel collect` gave an answer, and not a proxy or the login page of a network: its refusals name their own status
  /// and a reason.
  private static func isRefusal(_ answer: Answer) -> Bool {
    let object = try? JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
    guard let object, let reason = object["message"] as? String else { return false }
    return object["code"] as? Int == answer.status && object["error"] as? String == reason
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
