import FunnelModel
import FunnelRendering
import FunnelReports
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
  ///   - isPage: Whether a message is formatted as an HTML page. Otherwise it is a line of text.
  ///   - page: The URL of a page to link to if the request is rejected, or `nil` for none.
  func answer(_ arguments: [String], type: String, isPage: Bool, page: String?) async throws -> ResponseCache.Answer {
    let outcome: ChildProcess.Outcome
    do {
      outcome = try await slots.work { try await workers.run(arguments + source) }
    } catch is AsyncSemaphore.Full {
      return Self.message(503, "too many reports are being computed, try again in a moment", isPage: isPage)
    } catch ChildProcess.Stop.tookTooLong {
      return Self.message(
        503, "the report took longer than \(WorkerPool.secondsMax) seconds, choose a shorter period or fewer segments",
        isPage: isPage)
    } catch ChildProcess.Stop.wroteTooMuch {
      return Self.message(503, "the report is too large, choose fewer segments", isPage: isPage)
    }
    let text = String(decoding: outcome.errors, as: UTF8.self)
    let lines = text.split(separator: "\n").map {
      $0.hasPrefix("funnel: ") ? String($0.dropFirst("funnel: ".count)) : String($0)
    }
    let message = lines.last ?? "the report could not be computed"
    switch outcome.status.flatMap(FunnelError.Code.init(rawValue:)) {
    // The report of a damaged log is still served. It mentions the damage.
    case nil where outcome.status == 0, .inputOutput? where !outcome.output.isEmpty:
      return ResponseCache.Answer(status: 200, type: type, body: outcome.output)
    case .usage?: return Self.message(400, message, isPage: isPage, page: page)
    case .noInput?: return Self.message(404, message, isPage: isPage)
    case nil: return Self.message(500, "the report could not be computed, see the server's messages", isPage: isPage)
    default: return Self.message(500, message, isPage: isPage)
    }
  }

  /// Returns a response that is a message.
  ///
  /// - Parameter page: The URL of a page to link to, or `nil` for none.
  static func message(_ status: Int, _ text: String, isPage: Bool, page: String? = nil) -> ResponseCache.Answer {
    isPage
      ? ResponseCache.Answer(
        status: status, type: ServedType.page,
        body: Array(MessagePage.message(title: title(of: status), text, askAnew: page).utf8))
      : ResponseCache.Answer(status: status, type: ServedType.text, body: Array("\(text)\n".utf8))
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
