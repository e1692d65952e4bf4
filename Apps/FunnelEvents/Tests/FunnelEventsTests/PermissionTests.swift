import FunnelEvents
import Testing

/// What is recorded for each status of each framework.
@Suite struct PermissionTests {
  @Test func `each status of a library has its outcome`() {
    let outcomes = LibraryStatus.allCases.map { PermissionOutcome($0) }
    #expect(outcomes == [nil, nil, .denied, .granted, .limited])
  }

  @Test func `each status of notifications has its outcome`() {
    let outcomes = NotificationStatus.allCases.map { PermissionOutcome($0) }
    #expect(outcomes == [nil, .denied, .granted, .provisional, .ephemeral])
  }

  @Test func `each status of the location has its outcome, by what was asked`() {
    let outcomes = LocationAccess.allCases.map { asked in LocationStatus.allCases.map { PermissionOutcome($0, asked: asked) } }
    #expect(outcomes == [[nil, nil, .denied, .granted, .granted], [nil, nil, .denied, .granted, .whileUsing]])
  }

  private static let healthCases: [([HealthWriteStatus], PermissionOutcome?)] = [
    ([], .granted), ([.sharingAuthorized], .granted), ([.sharingAuthorized, .sharingDenied], .limited),
    ([.sharingDenied, .sharingDenied], .denied), ([.sharingAuthorized, .notDetermined], nil),
  ]

  @Test(arguments: healthCases)
  func `health data is granted by what may be written`(writing: [HealthWriteStatus], outcome: PermissionOutcome?) {
    #expect(PermissionOutcome(healthWriting: writing) == outcome)
  }

  /// The numbers of Apple's headers.
  @Test func `the numbers are the system's`() {
    #expect(LibraryStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
    #expect(NotificationStatus(rawValue: 3) == .provisional && LocationStatus(rawValue: 4) == .authorizedWhenInUse)
    #expect(HealthWriteStatus(rawValue: 2) == .sharingAuthorized)
    #expect(LibraryStatus(rawValue: 5) == nil)
  }

  @Test func `a permission is recorded from the screen to the answer`() async throws {
    let recorder = try RecordedEvents(app: "cleaner")
    let photos = recorder.permission("photos", flow: "permissions_flow")
    photos.prePromptShown()
    #expect(await photos.ask(isDetermined: false) { .limited } == .limited)
    #expect(await photos.ask(isDetermined: true) { .denied } == .denied)
    #expect(await photos.ask(isDetermined: false) { nil } == nil)
    photos.skipExplained()
    photos.answered(.skipped)
    #expect(
      recorder.names == [
        "perm_photos_pre_prompt_shown", "perm_photos_enable_tapped", "perm_photos_limited", "perm_photos_enable_tapped",
        "perm_photos_denied", "perm_photos_enable_tapped", "perm_photos_skip_explained", "perm_photos_skipped",
      ])
    #expect(recorder.events.allSatisfy { $0.event.flow == "permissions_flow" })
    #expect(recorder.events.map(\.event.props) == [[:], [:], [:], [:], ["dialog": false], [:], [:], [:]])
    #expect(recorder.problems.isEmpty)
  }

  private enum Cleaner: FlowEvent {
    case started
    enum Permission: String { case photos }
    static let app = "cleaner"
    static let flow = "permissions_flow"
    static let version = 1
    var name: String { "perm_flow_start" }
    var step: String? { nil }
    var props: [String: EventValue] { [:] }
  }

  @Test func `a permission of a flow belongs to its version and attempt`() throws {
    let recorder = try RecordedEvents(app: "cleaner")
    let flow = recorder.flow(Cleaner.self)
    flow.continueAttempt("run-1")
    flow.permission(Cleaner.Permission.photos).answered(.granted)
    let event = try #require(recorder.events.first?.event)
    #expect(event.name == "perm_photos_granted" && event.flow == "permissions_flow" && event.flowVersion == 1)
    #expect(event.attempt == "run-1")
  }
}
