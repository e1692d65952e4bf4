import FunnelModel
import FunnelSystem

/// Passes the messages of a nightly run to a command of the user, which for example sends an email. The program
/// itself opens no connection.
///
/// The command reads one line of JSON from standard input:
///
///     {"as_of":"2026-11-20T03:00:00.000Z","store":"/srv/store","messages":[{"kind":"alert","rule":"…","text":"…"}]}
struct Notification {
  let command: String
  let messages: [NightlyRunMessage]
  let asOf: Timestamp
  let store: String

  /// The time limit of the command in seconds.
  private static let secondsMax = 30
  /// The largest output of the command in bytes.
  private static let outputBytesMax = 1 << 20

  /// Runs the command.
  ///
  /// - Throws: `inputOutput` if it could not be run, took too long or exited with an error.
  func send() throws(FunnelError) {
    var bytes: [UInt8] = []
    bytes.append(text: "{\"as_of\":\"\(asOf)\",\"store\":")
    bytes.appendJSON(store)
    bytes.append(text: ",\"messages\":\(messages.json)}\n")
    let process = ChildProcess(
      path: "/bin/sh", arguments: ["-c", command], input: bytes, secondsMax: Self.secondsMax,
      outputBytesMax: Self.outputBytesMax,
      leadsGroup: true)
    let reason: String
    do {
      let outcome = try process.run()
      if outcome.status == 0 { return }
      let said = String(decoding: outcome.errors, as: UTF8.self).split(separator: "\n").last.map { ", it said: \($0)" } ?? ""
      reason = (outcome.status.map { "it exited with \($0)" } ?? "it was killed by a signal") + said
    } catch ChildProcess.Stop.tookTooLong {
      reason = "it took longer than \(Self.secondsMax) s and was killed"
    } catch {
      reason = "it could not be run"
    }
    throw FunnelError(
      .inputOutput,
      "nobody was notified, --notify \(command.printable), \(reason), try: echo '{\"messages\":[]}' | \(command.printable)")
  }
}

/// A message of a nightly run to its operator.
struct NightlyRunMessage {
  /// The cause of a message.
  enum Kind: String {
    /// A rule of `--alerts` fired.
    case alert
    /// A threshold of the command line was crossed.
    case threshold
    /// An error occurred.
    case problem
  }

  let kind: Kind
  /// The alert rule or the option that caused it, or `nil` for a problem.
  let rule: String?
  let text: String

  init(_ kind: Kind, rule: String? = nil, _ text: String) {
    self.kind = kind
    self.rule = rule
    self.text = text
  }

  /// Appends the message as a JSON object.
  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append(text: "{\"kind\":\"\(kind.rawValue)\",\"rule\":")
    bytes.appendJSON(rule)
    bytes.append(text: ",\"text\":")
    bytes.appendJSON(text)
    bytes.append(text: "}")
  }
}

extension [NightlyRunMessage] {
  /// The messages as a JSON array.
  var json: String {
    var bytes: [UInt8] = []
    bytes.append(text: "[")
    for (index, message) in enumerated() {
      if index > 0 { bytes.append(text: ",") }
      message.append(to: &bytes)
    }
    bytes.append(text: "]")
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Appends a JSON array of strings.
  mutating func appendJSON(_ texts: [String]) {
    append(text: "[")
    for (index, text) in texts.enumerated() {
      if index > 0 { append(text: ",") }
      appendJSONString(text)
    }
    append(text: "]")
  }

  /// Appends a JSON string, or `null` for `nil`.
  mutating func appendJSON(_ text: String?) {
    if let text { appendJSONString(text) } else { append(text: "null") }
  }
}
