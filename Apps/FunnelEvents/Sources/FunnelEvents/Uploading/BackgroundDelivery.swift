import Foundation

/// Delivers events when the app goes to the background, in the time that the system grants then.
///
/// The time is that of an expiring activity, which needs neither the main thread nor an application object, so it works in any app.
// The observer is set once.
final class BackgroundDelivery: @unchecked Sendable {
  /// UIKit's notification. Its constant belongs to the main actor in some SDKs, so it is named here.
  static let notification = Notification.Name("UIApplicationDidEnterBackgroundNotification")

  /// The longest time for which the process is kept running, in seconds. The system grants about half a minute.
  private static let secondsMax: TimeInterval = 25

  private let center: NotificationCenter
  private let observer: any NSObjectProtocol

  /// Creates an object that delivers as long as it exists.
  init(_ engine: RecorderEngine, center: NotificationCenter = .default) {
    self.center = center
    observer = center.addObserver(forName: Self.notification, object: nil, queue: nil) {
      [weak engine] _ in
      if let engine { Self.deliver(engine) }
    }
  }

  deinit { center.removeObserver(observer) }

  private static func deliver(_ engine: RecorderEngine) {
    let isDone = DispatchSemaphore(value: 0)
    engine.post(.flush { _ in isDone.signal() })
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
      ProcessInfo.processInfo.performExpiringActivity(withReason: "Delivering events") { isExpired in
        // The process may be suspended when this closure returns. It is called a second time when the time is over.
        if isExpired { isDone.signal() } else { _ = isDone.wait(timeout: .now() + secondsMax) }
      }
    #endif
  }
}
