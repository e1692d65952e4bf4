import FunnelEvents
import Foundation
import Testing

/// What is refused before it is written, and in which words. That `funnel ingest` refuses the same is a test of the command.
@Suite struct RefusalTests {
  private static func event(_ change: (inout FunnelEvent) -> Void) -> FunnelEvent {
    var event = FunnelEvent("opened")
    change(&event)
    return event
  }

  private static let name = "must be a lower-case letter and then up to 99 lower-case letters, digits and underscores"

  @Test(arguments: [
    (FunnelEvent("Opened"), "invalid_field: name \(name)"),
    (FunnelEvent(""), "invalid_field: name \(name)"),
    (FunnelEvent("opened", flow: "On Boarding"), "invalid_field: flow \(name)"),
    (FunnelEvent("step_viewed", step: "Welcome"), "invalid_field: step \(name)"),
    (FunnelEvent("step_viewed"), "missing_field: step is missing: step_viewed needs a step id; give it"),
    (FunnelEvent("opened", flowVersion: 0), "invalid_field: flow_version must be a whole number, 1 or more"),
    (event { $0.id = "" }, "invalid_field: id is empty; give one"),
    (
      event { $0.attempt = String(repeating: "ä", count: 65) },
      "invalid_field: attempt has 130 bytes; 128 are allowed"
    ),
    (
      event { $0.app = "trendy" },
      "invalid_field: the event belongs to the app trendy, the recorder to cleaner; use a recorder of that app"
    ),
    (event { $0.props = ["x": .double(.nan)] }, "invalid_field: props.x is nan, which JSON can't represent; leave it out"),
    (
      event { $0.props = ["suggestedContactName": "x"] },
      "personal_data: props.suggestedContactName contains \"contact_name\", which is on the list of personal data; do not log it"
    ),
    (event { $0.props = ["Email": 1] }, "personal_data: props.Email is on the list of personal data; do not log it"),
    (
      event { $0.props = ["note": "to ann@example.org"] }, "personal_data: props.note contains an e-mail address; do not log it"
    ),
    (event { $0.props = ["link": "tel:4155552671"] }, "personal_data: props.link is a phone number; do not log it"),
    (event { $0.id = "+4915112345678" }, "personal_data: id is a phone number; use a pseudonymous id"),
    (event { $0.attempt = "ann@example.org" }, "personal_data: attempt is an e-mail address; use a pseudonymous id"),
    (
      event {
        $0.props = ["nickname": "x"]
        $0.forbiddenKeys = ["nickname"]
      }, "personal_data: props.nickname: \"nickname\" is personal data according to its flow (no_personal_data); do not log it"
    ),
    (
      event { $0.props = Dictionary(uniqueKeysWithValues: (0..<1025).map { ("k\($0)", 1) }) },
      "invalid_field: props has 1025 keys; 1024 are allowed, log less with the event"
    ),
  ])
  func `an event is refused in one sentence and nothing of it is written`(event: FunnelEvent, sentence: String) async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder()
    await #expect { try await recorder.append(event) } throws: { "\($0)" == sentence }
    recorder.record(event)
    recorder.record(FunnelEvent("next"))
    let status = await recorder.status
    #expect(status.refused == 2)
    #expect(status.recorded == 1)
    #expect(status.lastProblem?.description == sentence)
    #expect(place.problems.withLock { $0.map(\.description) } == [sentence, sentence])
    #expect(try place.sequences() == [0])
  }

  @Test func `a line longer than a file is refused`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder()
    let event = FunnelEvent("noted", props: ["text": .string(String(repeating: "x", count: 262_000))])
    try await recorder.append(event)
    #expect(try place.lines()[0].utf8.count == 262_142)
    let sentence = "line_too_long: the event has 262145 bytes, 262144 are allowed; log less with it"
    await #expect {
      try await recorder.append(FunnelEvent("noted", props: ["text": .string(String(repeating: "x", count: 262_003))]))
    } throws: { "\($0)" == sentence }
  }

  @Test(arguments: [
    (-86_400.0 * 365 * 30, "timestamp_out_of_range: ts is before 2007-01-01; set the device's clock"),
    (
      86_401.0,
      "timestamp_out_of_range: ts is more than 24 hours after the clock (2026-11-20T10:00:00.000Z); give the true time"
    ),
    (
      .infinity,
      "timestamp_out_of_range: ts is more than 24 hours after the clock (2026-11-20T10:00:00.000Z); give the true time"
    ),
  ])
  func `a time out of range is refused`(offset: Double, sentence: String) async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder()
    await #expect { try await recorder.append(FunnelEvent("opened"), at: place.time.now + offset) } throws: {
      "\($0)" == sentence
    }
    try await recorder.append(FunnelEvent("opened"), at: place.time.now + 86_400)
  }

  @Test func `a null is no personal data, and neither is a number in a plain value`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder()
    try await recorder.append(FunnelEvent("opened", props: ["email": nil, "count": "4155552671", "pin_set": true]))
    #expect(try place.sequences() == [0])
  }

  private typealias Change = @Sendable (inout EventRecorder.Configuration) -> Void

  private static let changes: [(Change, String)] = [
    ({ $0.app = "My App" }, "invalid_field: app \(name)"),
    ({ $0.subject = "" }, "invalid_field: subject is empty; give one"),
    ({ $0.subject = "a\u{85}b" }, "invalid_field: subject contains a control character; use a pseudonymous id"),
    ({ $0.subject = "ann@example.org" }, "personal_data: subject is an e-mail address; use a pseudonymous id"),
    ({ $0.context = ["idfa": "x"] }, "personal_data: ctx.idfa is on the list of personal data; do not log it"),
    ({ $0.fileBytesMax = 1 }, "configuration: fileBytesMax is 1; give 1024 or more"),
    (
      { $0.diskBytesMax = 1 << 19 },
      "configuration: diskBytesMax is 524288; give at least four times fileBytesMax, which is 262144"
    ),
    (
      { $0.fileAgeMax = 0 },
      "configuration: queuedEventsMax, flushEventCount, flushInterval, fileAgeMax and uploadDelayMin must be above zero and "
        + "uploadDelayMax no less than uploadDelayMin; raise them"
    ),
  ]

  @Test(arguments: changes.indices)
  func `a recorder that could only refuse is not made`(index: Int) throws {
    let (change, sentence) = Self.changes[index]
    let place = try RecorderPlace()
    #expect { _ = try place.recorder(change) } throws: { "\($0)" == sentence }
    #expect(try place.folder.files().isEmpty)
  }
}
