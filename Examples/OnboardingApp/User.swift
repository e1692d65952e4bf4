import Foundation
import FunnelEvents

/// An invented user, whose number decides everything.
struct User {
  let number: Int

  var id: String { "install-\(number)" }

  var variant: String { number % 2 == 0 ? "a" : "b" }

  /// 2026-11-20T10:00:00Z for the first user, and ten minutes later for each further one.
  var firstLaunch: Date { Date(timeIntervalSince1970: 1_795_168_800 + Double(number) * 600) }

  private var photos: PermissionEvent { [.granted, .granted, .denied, .limited][number % 4] }
  private var contacts: PermissionEvent { [.granted, .denied, .skipped][number % 3] }
  private var isPatient: Bool { number % 7 != 6 }

  /// Records what the user does.
  func walk(through flow: FlowRecorder<CleanerPermissionsFlow>, _ clock: InventedClock) {
    func log(_ event: CleanerPermissionsFlow, after seconds: Double) {
      clock.advance(by: seconds)
      flow.record(event)
    }
    log(.permFlowStart(trigger: .firstLaunch), after: 1)
    log(.permission(.photos, .prePromptShown), after: 2)
    log(.permission(.photos, photos), after: 4)
    guard isPatient else { return }
    log(.permission(.contacts, .prePromptShown), after: 1)
    log(.permission(.contacts, contacts), after: 3)
    let isAllGranted = photos == .granted && contacts == .granted
    if isAllGranted {
      log(.permission(.push, .prePromptShown), after: 1)
      log(.permission(.push, .granted), after: 2)
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
