import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPUploader {
  /// An answer of a server.
  struct Answer: Sendable {
    var status: Int
    var retryAfter: String?
    var body: Data
  }

  /// A session that sends files. It ends with its last reference.
  final class Client: Sendable {
    /// The answer was not one of HTTP.
    private struct NotHTTP: Error {}

    /// The longest time without a byte, in seconds.
    private static let idleMax: TimeInterval = 30
    /// The longest time of a request, in seconds. A file has at most a few hundred kilobytes.
    private static let requestMax: TimeInterval = 120

    private let session: URLSession

    init(_ given: URLSessionConfiguration) {
      // It is a class, and the app may use it for other sessions.
      let configuration = given.copy() as? URLSessionConfiguration ?? given
      configuration.timeoutIntervalForRequest = Self.idleMax
      configuration.timeoutIntervalForResource = Self.requestMax
      configuration.httpShouldSetCookies = false
      session = URLSession(configuration: configuration, delegate: RedirectRefusal(), delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a file and returns the answer. It ends early if the task is cancelled.
    func send(_ request: URLRequest, body file: URL) async -> Result<Answer, any Error> {
      let running = RunningTask()
      return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          do {
            running.start(
              try task(for: request, body: file) { data, response, error in
                if let response = response as? HTTPURLResponse {
                  let retryAfter = response.value(forHTTPHeaderField: "Retry-After")
                  continuation.resume(
                    returning: .success(Answer(status: response.statusCode, retryAfter: retryAfter, body: data ?? Data())))
                } else {
                  continuation.resume(returning: .failure(error ?? NotHTTP()))
                }
              })
          } catch {
            continuation.resume(returning: .failure(error))
          }
        }
      } onCancel: {
        running.cancel()
      }
    }

    /// Returns a task that sends a file and was not started yet.
    ///
    /// - Throws: An error if the file can't be read.
    private func task(
      for request: URLRequest, body file: URL, _ end: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) throws -> URLSessionUploadTask {
      #if canImport(FoundationNetworking)
        // A task that reads the file itself ends the process when the server resets the connection (libcurl's error 43).
        session.uploadTask(with: request, from: try Data(contentsOf: file), completionHandler: end)
      #else
        // The session reads the file on a queue of its own, so that no thread of Swift's tasks waits for the disk.
        session.uploadTask(with: request, fromFile: file, completionHandler: end)
      #endif
    }
  }

  /// Takes no redirection: the session would follow it with a GET, whose 200 would not mean that the events arrived.
  private final class RedirectRefusal: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    #if canImport(FoundationNetworking)
      func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
      ) {
        completionHandler(nil)
      }
    #else
      // The method is optional, and SDKs differ in the type of the completion handler: one that does not match would never be called.
      func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
      ) async -> URLRequest? {
        nil
      }
    #endif
  }

  /// A task of a session that may be cancelled before it starts. The lock protects both variables.
  private final class RunningTask: @unchecked Sendable {
    private let lock = NSLock()
    private var task: URLSessionTask?
    private var isCancelled = false

    func start(_ task: URLSessionTask) {
      lock.lock()
      self.task = task
      let isCancelled = isCancelled
      lock.unlock()
      task.resume()
      if isCancelled { task.cancel() }
    }

    func cancel() {
      lock.lock()
      isCancelled = true
      let task = task
      lock.unlock()
      task?.cancel()
    }
  }
}
