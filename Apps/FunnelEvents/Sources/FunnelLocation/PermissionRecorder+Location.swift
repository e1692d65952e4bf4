#if canImport(CoreLocation) && !os(macOS)
  import CoreLocation
  public import FunnelEvents

  extension PermissionRecorder {
    /// Asks for the location and records the answer. The event has `accuracy` `reduced` if the person turned off the precise location.
    ///
    /// If the system has an answer already, the method returns it at once. Later, at a time of its choice, the system may ask the person by
    /// itself whether to widen "when in use" to "always". The app learns nothing of it if the person changes nothing.
    ///
    /// - Returns: The answer, or `nil` if there is none (``PermissionOutcome``).
    @discardableResult
    public func requestLocation(_ access: LocationAccess = .whenInUse) async -> PermissionOutcome? {
      enableTapped()
      let answer = await LocationRequest().ask(for: access)
      guard let outcome = answer.status.flatMap({ PermissionOutcome($0, asked: access) }) else { return nil }
      var props: [String: EventValue] = answer.wasDetermined ? ["dialog": false] : [:]
      if answer.isReduced, outcome.isAccess { props["accuracy"] = "reduced" }
      answered(outcome, props: props)
      return outcome
    }
  }

  /// One request for the location. A location manager calls its delegate on the thread that created it, here the main thread.
  // All variable properties are used on the main thread alone.
  private final class LocationRequest: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
    struct Answer: Sendable {
      var status: LocationStatus?
      var wasDetermined: Bool
      var isReduced: Bool
    }

    private var manager: CLLocationManager?
    private var continuation: CheckedContinuation<Answer, Never>?
    private var wasDetermined = false

    func ask(for access: LocationAccess) async -> Answer {
      await withCheckedContinuation { continuation in
        DispatchQueue.main.async { self.start(access, continuation) }
      }
    }

    private func start(_ access: LocationAccess, _ continuation: CheckedContinuation<Answer, Never>) {
      let manager = CLLocationManager()
      self.manager = manager
      self.continuation = continuation
      wasDetermined = status(of: manager) != .notDetermined
      manager.delegate = self
      #if os(tvOS)
        manager.requestWhenInUseAuthorization()
      #else
        switch access {
        case .whenInUse: manager.requestWhenInUseAuthorization()
        case .always: manager.requestAlwaysAuthorization()
        }
      #endif
      answerIfDetermined(manager)
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { answerIfDetermined(manager) }

    // iOS 13 calls this one.
    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
      answerIfDetermined(manager)
    }

    /// Answers once. The delegate is called at first with the status before the dialog, which is no answer.
    private func answerIfDetermined(_ manager: CLLocationManager) {
      let status = status(of: manager)
      guard status != .notDetermined, let continuation else { return }
      self.continuation = nil
      manager.delegate = nil
      self.manager = nil
      continuation.resume(returning: Answer(status: status, wasDetermined: wasDetermined, isReduced: isReduced(manager)))
    }

    private func status(of manager: CLLocationManager) -> LocationStatus? {
      if #available(iOS 14, tvOS 14, watchOS 7, *) {
        return LocationStatus(rawValue: Int(manager.authorizationStatus.rawValue))
      }
      return LocationStatus(rawValue: Int(CLLocationManager.authorizationStatus().rawValue))
    }

    private func isReduced(_ manager: CLLocationManager) -> Bool {
      if #available(iOS 14, tvOS 14, watchOS 7, *) { return manager.accuracyAuthorization == .reducedAccuracy }
      return false
    }
  }
#endif
