import FunnelEvents
import Foundation

/// An uploader whose files are tried again if a closure throws.
struct ThrowingUploader: EventUploader {
  let body: @Sendable (URL) async throws -> Void

  var tellsTimeOfSending: Bool { false }

  func upload(_ file: EventFile) async -> UploadResult {
    do {
      try await body(file.url)
      return .delivered
    } catch {
      return .retry(after: .automatic, reason: "\(error)")
    }
  }
}

extension EventRecorder.Configuration {
  /// Sets a closure that uploads. If it throws, the file is tried again.
  mutating func upload(_ body: @escaping @Sendable (URL) async throws -> Void) { uploader = ThrowingUploader(body: body) }
}
