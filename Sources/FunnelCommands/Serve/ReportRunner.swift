import FunnelModel
import FunnelRendering
import FunnelSystem

/// Computes responses in worker processes.
///
/// A report that crashes, needs much memory or takes too long does not affect the server. A worker is killed if
/// no client waits for its response.
struct ReportRunner: Sendable {
  /// The arguments that select the store and the definitions.
  let source: [String]
  private let slots: AsyncSemaphore
  private let workers: WorkerPool

  /// The largest number of requests that wait for a worker.
  private static let waitingMax = 256

  /// - Parameters:
  ///   - source: The arguments that select the store and the definitions.
  ///   - processes: The number of worker processes.
  init(source: [String], processes: Int) {
    self.source = source
    slots = AsyncSemaphore(count: processes, waitingMax: Self.waitingMax)
    workers = WorkerPool(count: processes)
  }

  /// Starts the worker processes and lets each open the index, so that the first response is as fast as later ones.
  func warmUp() { workers.warmUp([PageCommand.word] + source) }

  /// Runs a command of this program and returns its output as a response. Errors become responses with a message.
  ///
  /// - Parameters:
  ///   - arguments: The command line, without the arguments in ``source``.
  ///   - type: The media type of the output.
  ///   - form: The form of a message.
  func response(_ arguments: [String], type: String, form: MessageForm) async throws -> ResponseCache.Response {
    let outcome: ChildProcess.Outcome
    do {
      outcome = try await slots.work { try await workers.run(arguments + source) }
    } catch is AsyncSemaphore.Full {
      return form.response(503, "too many reports are being computed, try again in a moment")
    } catch ChildProcess.Stop.tookTooLong {
      return form.response(
        503, "the report took longer than \(WorkerPool.secondsMax) seconds, choose a shorter period or fewer segments")
    } catch ChildProcess.Stop.wroteTooMuch {
      return form.response(503, "the report is too large, choose fewer segments")
    }
    let message = Self.message(outcome) ?? "the report could not be computed"
    switch outcome.status.flatMap(FunnelError.Code.init(rawValue:)) {
    // The report of a damaged log is still served. It mentions the damage.
    case nil where outcome.status == 0, .inputOutput? where !outcome.output.isEmpty:
      return ResponseCache.Response(status: 200, type: type, body: outcome.output)
    case .usage?: return form.response(400, message)
    case .noInput?: return form.response(404, message)
    case nil: return form.response(500, "the report could not be computed, see the server's messages")
    default: return form.response(500, message)
    }
  }

  /// Returns the last line that a command wrote to standard error, without its prefix, or `nil` if it wrote none.
  private static func message(_ outcome: ChildProcess.Outcome) -> String? {
    let prefix = "funnel: "
    let line = String(decoding: outcome.errors, as: UTF8.self).split(separator: "\n").last.map(String.init)
    return line.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
  }
}

/// The form of a message to a client.
enum MessageForm: Sendable {
  /// A line of text.
  case line
  /// A page. It links to another page if the request was rejected and the URL of that page is not `nil`.
  case page(otherPage: String?)

  /// Returns the response with a message.
  func response(_ status: Int, _ text: String) -> ResponseCache.Response {
    switch self {
    case .line: return ResponseCache.Response(status: status, type: ServedType.text, body: Array("\(text)\n".utf8))
    case .page(let otherPage):
      // Bad options have the message of the command line, which names them as on the command line.
      let page =
        status == 400
        ? MessagePage.message(
          title: Self.title(of: status), "An option in the address of this page can't be used. The command line says of it:",
          commandLine: text, askAnew: otherPage)
        : MessagePage.message(title: Self.title(of: status), text)
      return ResponseCache.Response(status: status, type: ServedType.page, body: Array(page.utf8))
    }
  }

  /// Returns the heading of the page for an HTTP status.
  private static func title(of status: Int) -> String {
    switch status {
    case 400: "Can't show this report"
    case 404: "There is no such page"
    case 503: "The server is busy"
    default: "Something went wrong"
    }
  }
}

/// The media types of responses.
enum ServedType {
  static let page = "text/html; charset=utf-8"
  static let json = "application/json"
  static let csv = "text/csv; charset=utf-8; header=present"
  static let text = "text/plain; charset=utf-8"
}
