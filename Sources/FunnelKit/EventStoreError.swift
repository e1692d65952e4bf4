internal import Dispatch
internal import FunnelModel

/// The error of an operation on a store: a code, and a message of one line that names the path and a remedy.
///
///     do {
///       let store = try EventStore(at: "funnel-store")
///     } catch where error.code == .noInput {
///       print(error.message)  // no store here, funnel-store, …
///     }
public struct EventStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The cause of an error.
  public enum Code: Hashable, Sendable {
    /// An argument is not valid, such as a flow that does not exist.
    case invalidArgument
    /// The input exists but can't be used.
    case unusableInput
    /// The store or the input does not exist, or can't be read.
    case noInput
    /// A file can't be created.
    case cannotCreate
    /// Reading or writing failed, or the store is damaged.
    case inputOutput
    /// Another process is writing to the store.
    case locked
    /// A flow definition, a mapping or a key is invalid.
    case configuration
  }

  /// The cause.
  public let code: Code
  /// One line with the problem, the path and a remedy.
  public let message: String

  public var description: String { message }
}

extension EventStoreError {
  init(_ error: FunnelError) {
    let code: Code =
      switch error.code {
      case .usage: .invalidArgument
      case .unusableInput: .unusableInput
      case .noInput: .noInput
      case .cannotCreate: .cannotCreate
      case .inputOutput: .inputOutput
      case .locked: .locked
      case .configuration: .configuration
      }
    self.init(code: code, message: error.message)
  }

  /// Calls a body on a thread that may block, and returns its result.
  static func blocking<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws(EventStoreError) -> Result {
    // The engine waits for disks and locks. On a thread of the cooperative pool it would hold up other tasks.
    let outcome = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: Swift.Result { () throws(EventStoreError) in try catching(body) })
      }
    }
    return try outcome.get()
  }

  /// Calls a body and returns its result.
  static func catching<Result>(_ body: () throws -> Result) throws(EventStoreError) -> Result {
    do throws(FunnelError) {
      return try FunnelError.catching(body)
    } catch {
      throw EventStoreError(error)
    }
  }
}
