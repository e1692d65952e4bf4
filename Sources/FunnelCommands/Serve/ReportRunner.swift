import FunnelModel
import FunnelReports
import FunnelSystem

/// Computes answers in other processes: one that crashes, needs much memory or takes too long is none of the server's, and one that nobody
/// waits for any more is ended at once.
struct ReportRunner: Sendable {
  /// The arguments that say where the events and the definitions are.
  let source: [String]
  private let places: AsyncSemaphore
  private let workers: WorkerPool

  /// The number of answers that may wait.
  private static let waitingMax = 256

  init(source: [String], processes: Int) {
    self.source = source
    places = AsyncSemaphore(count: processes, waitingMax: Self.waitingMax)
    workers = WorkerPool(count: processes)
  }

  /// Starts the processes, so that the first answer takes no longer than others.
  func warmUp() { workers.warmUp([PageCommand.word] + source) }

  /// Runs a command of this program, and returns its output as an answer.
  ///
  /// - Parameters:
  ///   - isPage: Whether a message in place of the answer is a page; else it is a line of text.
  ///   - page: The path of a page that answers if this question is refused.
  func answer(_ arguments: [String], type: String, isPage: Bool, page: String?) async throws -> ResponseCache.Answer {
    let outcome: ChildProcess.Outcome
    do {
      outcome = try await places.work { try await workers.run(arguments + source) }
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
    // A damaged log is reported as far as it can be read, and the report says so.
    case nil where outcome.status == 0, .inputOutput? where !outcome.output.isEmpty:
      return ResponseCache.Answer(status: 200, type: type, body: outcome.output)
    case .usage?: return Self.message(400, message, isPage: isPage, page: page)
    case .noInput?: return Self.message(404, message, isPage: isPage)
    case nil: return Self.message(500, "the report could not be computed, see the server's messages", isPage: isPage)
    default: return Self.message(500, message, isPage: isPage)
    }
  }

  /// Returns an answer that is a message.
  ///
  /// - Parameter page: The path of a page to ask anew.
  static func message(_ status: Int, _ text: String, isPage: Bool, page: String? = nil) -> ResponseCache.Answer {
    isPage
      ? ResponseCache.Answer(
        status: status, type: ServedType.page,
        body: Array(MessagePage.message(title: title(of: status), text, askAnew: page).utf8))
      : ResponseCache.Answer(status: status, type: ServedType.text, body: Array("\(text)\n".utf8))
  }

  private static func title(of status: Int) -> String {
    switch status {
    case 400: "Can't show this report"
    case 404: "There is no such page"
    case 503: "The server is busy"
    default: "Something went wrong"
    }
  }
}

/// The media types of answers.
enum ServedType {
  static let page = "text/html; charset=utf-8"
  static let json = "application/json"
  static let csv = "text/csv; charset=utf-8; header=present"
  static let text = "text/plain; charset=utf-8"
}
