import Foundation
import FunnelTestSupport
import Testing

/// Access that was denied, and given in the system's settings later (`recovered_via_settings`).
@Suite struct SettingsRecoveryTests {
  private let place: Workplace

  /// Each subject is named for what it did about photos after the pre-prompt.
  private static let answers: [(subject: String, events: [String])] = [
    ("denied_then_settings", ["perm_photos_denied", "perm_settings_tapped", "perm_photos_granted"]),
    ("limited_in_settings", ["perm_photos_skipped", "perm_settings_tapped", "perm_photos_limited"]),
    (
      "changed_twice_there",
      ["perm_photos_denied", "perm_settings_tapped", "perm_photos_granted", "perm_photos_limited"]
    ),
    (
      "asked_before_settings",
      ["perm_photos_denied", "perm_photos_pre_prompt_shown", "perm_settings_tapped", "perm_photos_granted"]
    ),
    (
      "asked_after_settings",
      ["perm_photos_denied", "perm_settings_tapped", "perm_photos_pre_prompt_shown", "perm_photos_granted"]
    ),
    ("settings_before_denial", ["perm_settings_tapped", "perm_photos_denied", "perm_photos_granted"]),
    ("settings_in_vain", ["perm_photos_denied", "perm_settings_tapped", "perm_photos_denied"]),
    ("granted_at_once", ["perm_photos_granted", "perm_settings_tapped", "perm_photos_granted"]),
    ("no_settings", ["perm_photos_denied", "perm_photos_granted"]),
  ]
  private static let recovered = [
    "asked_before_settings", "changed_twice_there", "denied_then_settings", "limited_in_settings",
  ]

  init() throws {
    place = try Workplace()
    let log = Self.answers.map { subject, events in
      let all = ["perm_flow_start", "perm_photos_pre_prompt_shown"] + events
      return all.enumerated().map { LogLine.event($1, subject, at: $0 * 10) }.joined()
    }.joined()
    try place.write(log, to: "log.ndjson")
    _ = try place.ingest("log.ndjson")
  }

  private func groups(_ arguments: String...) throws -> FunnelRun {
    try FunnelRun(
      arguments: ["groups", "recovered_via_settings", "--now", Workplace.now, "--format", "lines"] + arguments,
      directory: place.url)
  }

  @Test func `grants tell them apart from those who were asked again`() throws {
    for input in [[], ["log.ndjson"]] as [[String]] {
      let run = try FunnelRun(
        arguments: ["report", "grants", "--now", Workplace.now, "--format", "json"] + input, directory: place.url)
      #expect(run.status == 0 && run.errors == "")
      let photos = try #require(run.output.split(separator: "\n").first { $0.contains(#""permission":"photos""#) })
      #expect(photos.contains(#""recovered":7,"#))
      #expect(photos.contains(#","recovered_via_settings":4}"#))
    }
    let table = try place.run("report", "grants", "--now", Workplace.now)
    #expect(table.output.contains("\n  4 of 7 recovered photos through Settings\n"))
  }

  @Test func `groups name them, and trace says where it happened`() throws {
    let lines = Self.recovered.map { "\($0)\n" }.joined()
    let flow = ["--permission", "photos", "--flow", "cleaner/permissions_flow"]
    #expect(try groups(flow[0], flow[1], flow[2], flow[3]).output == lines)
    #expect(try groups(flow[0], flow[1], flow[2], flow[3], "log.ndjson").output == lines)
    let told = ", photos is limited, recovered through Settings"
    let trace = try place.run("trace", "changed_twice_there", "--now", Workplace.now).output
    #expect(trace.split(separator: "\n").filter { $0.contains("recovered through Settings") }.count == 1)
    #expect(trace.contains(told.dropFirst(2)))
    let json = try place.run("trace", "asked_after_settings", "--now", Workplace.now, "--format", "json").output
    #expect(json.contains(#""recovered_via_settings":false"#) && !json.contains(#""recovered_via_settings":true"#))
  }

  @Test func `a flow that does not name the event has no such number`() throws {
    let log = #"{"name":"perm_notifications_pre_prompt_shown","ts":"2026-11-10T10:00:00Z","subject":"s","app":"trendy"}"#
    try place.write(log + "\n", to: "trendy.ndjson")
    let grants = try place.report("grants", "trendy.ndjson")
    #expect(grants.contains(#""prompted":1"#) && !grants.contains("recovered_via_settings"))
    let run = try groups("--permission", "notifications", "--flow", "trendy/onboarding", "trendy.ndjson")
    #expect(run.status == 64 && run.output == "")
    #expect(
      run.errors
        == "funnel: trendy/onboarding@1 does not say which event opens the settings, recovered_via_settings, add a rule of this name to its definition\n"
    )
  }

  @Test func `the event may not be an answer to a permission`() throws {
    let definition = #"""
      {"app":"notes","flow":"intro","version":1,"steps":[{"id":"photos","permission":"photos"}],
       "rules":[{"rule":"recovered_via_settings","event":"perm_photos_granted"}],"events":{"perm_photos_granted":{}}}
      """#
    try place.write(definition, to: "schemas/notes.intro.v1.json")
    let run = try place.run("schema", "check", "schemas")
    #expect(run.status == 78)
    #expect((run.output + run.errors).contains("is about a permission, name the event that opens the settings"))
  }
}
