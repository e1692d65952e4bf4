#if canImport(UserNotifications)
  public import FunnelEvents
  public import UserNotifications

  extension PermissionRecorder {
    /// Asks for notifications and records the answer. With the option `provisional`, no dialog appears.
    ///
    /// - Returns: The answer, or `nil` if there is none (``PermissionOutcome``).
    @discardableResult
    public func requestNotifications(
      _ options: UNAuthorizationOptions = [.alert, .badge, .sound]
    ) async -> PermissionOutcome? {
      let before = await notificationStatus()
      return await ask(isDetermined: before != .notDetermined) {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          UNUserNotificationCenter.current().requestAuthorization(options: options) { _, _ in continuation.resume() }
        }
        return await notificationStatus().flatMap { PermissionOutcome($0) }
      }
    }

    private func notificationStatus() async -> NotificationStatus? {
      await withCheckedContinuation { (continuation: CheckedContinuation<NotificationStatus?, Never>) in
        UNUserNotificationCenter.current().getNotificationSettings { settings in
          continuation.resume(returning: NotificationStatus(rawValue: settings.authorizationStatus.rawValue))
        }
      }
    }
  }
#endif
