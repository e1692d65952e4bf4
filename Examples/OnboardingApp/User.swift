import Foundation
import FunnelEvents

/// An invented user, whose number decides everything.
struct User {
  let number: Int

  var id: String { "install-\(number)" }

  var variant: String { number % 2 == 0 ? "a" : "b" }

  /// 2026-11-20T10:00:00Z for the first user, and ten minutes later for each further one.
  var firstLaunch: Date { Date(timeIntervalSince1970: 1_795_168_800 + Double(number) * 600) }

  private var photos: CleanerPermissionsFlow {
    [.permPhotosGranted, .permPhotosGranted, .permPhotosDenied, .permPhotosLimited][number % 4]
  }
  private var contacts: CleanerPermissionsFlow {
    [.permContactsGranted, .permContactsDenied, .permContactsSkipped][number % 3]
  }
  private var isPatient: Bool { number % 7 != 6 }

  /// Records what the user does.
  func walk(through flow: FlowRecorder<CleanerPermissionsFlow>, _ clock: InventedClock) {
    func log(_ event: CleanerPermissionsFlow, after seconds: Double) {
      clock.advance(by: seconds)
      flow.record(event)
    }
    log(.permFlowStart(trigger: .firstLaunch), after: 1)
    log(.permPhotosPrePromptShown, after: 2)
    log(photos, after: 4)
    guard isPatient else { return }
    log(.permContactsPrePromptShown, after: 1)
    log(contacts, after: 3)
    let isAllGranted = photos == .permPhotosGranted && contacts == .permContactsGranted
    if isAllGranted {
      log(.permPushPrePromptShown, after: 1)
      log(.permPushGranted, after: 2)
      log(.stepViewed(.allSet), after: 1)
    }
    log(.permFlowCompleted, after: 1)
    log(.dashboardOpened, after: 2)
  }
}

/// A clock that moves only when it is told to.
final class InventedClock: @unchecked Sendable {
  private let lock = NSLock()
  private var time: Date

  init(start: Date) { time = start }

  var now: Date { lock.withLock { time } }

  func advance(by seconds: Double) { lock.withLock { time += seconds } }
}
