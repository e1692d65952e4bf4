#if canImport(AppTrackingTransparency)
  import AppTrackingTransparency
  public import FunnelEvents

  extension PermissionRecorder {
    /// Asks for tracking and records the answer. Call it while the app is active: otherwise no dialog appears, and there is no answer.
    ///
    /// - Returns: The answer, or `nil` if there is none (``PermissionOutcome``).
    @available(iOS 14, macOS 11, tvOS 14, *)
    @discardableResult
    public func requestTracking() async -> PermissionOutcome? {
      let isDetermined = ATTrackingManager.trackingAuthorizationStatus != .notDetermined
      return await ask(isDetermined: isDetermined) {
        let status = await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
          ATTrackingManager.requestTrackingAuthorization { continuation.resume(returning: Int($0.rawValue)) }
        }
        return LibraryStatus(rawValue: status).flatMap { PermissionOutcome($0) }
      }
    }
  }
#endif
