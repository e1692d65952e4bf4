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
