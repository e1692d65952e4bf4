import Foundation
import FunnelEvents
import FunnelTestSupport
import Testing

/// The recorder refuses before writing what `funnel ingest` would refuse, for the same reason and in the same words, and nothing else.
@Suite struct RefusalAgreementTests {
  private static let long = String(repeating: "ä", count: 65)

  /// Events as JSON, without the fields that all have.
  private static var cases: [[String: Any]] {
    [
      // What both accept.
      ["name": "opened"], ["name": "opened", "props": ["email": NSNull(), "n": 1.5, "ok": true, "text": "+49"]],
      ["name": "step_viewed", "step": "welcome", "flow": "onboarding", "flow_version": 3, "attempt": "", "id": "x"],
      ["name": "opened", "props": ["digits": "4155552671", "pin_set": true, "name": "x", "at": "a@b"]],
      ["name": "opened", "ctx": ["device": "iPhone15,3", "network_type": "wifi"]],
      // Names and identifiers.
      ["name": "Opened"], ["name": ""], ["name": "öffnen"], ["name": String(repeating: "a", count: 101)],
      ["name": "opened", "flow": "On Boarding"], ["name": "step_viewed", "step": "Welcome"], ["name": "step_viewed"],
      ["name": "opened", "flow_version": 0], ["name": "opened", "id": ""], ["name": "opened", "id": long],
      ["name": "opened", "attempt": long], ["name": "opened", "flow": "f", "attempt": "a\u{7}b"],
      // Keys, by their words.
      ["name": "opened", "props": ["email": "x"]], ["name": "opened", "props": ["suggestedContactName": "x"]],
      ["name": "opened", "props": ["homeNetworkSSIDs": 1]], ["name": "opened", "props": ["currentSSID": false]],
      ["name": "opened", "props": ["contact_name_2": "x"]], ["name": "opened", "props": ["GPSCoordinates": 1.5]],
      ["name": "opened", "ctx": ["idfa": "x"]], ["name": "opened", "ctx": ["clientIPAddress": "x"]],
      ["name": "opened", "props": ["pin": 1234]], ["name": "opened", "props": ["PINs": 1]],
      // Values, whatever their key.
      ["name": "opened", "props": ["a": "ann@example.org"]], ["name": "opened", "props": ["a": "to ann@example.org, now"]],
      ["name": "opened", "props": ["a": "mailto:ann@example.org"]], ["name": "opened", "props": ["a": "+4915112345678"]],
      ["name": "opened", "props": ["a": "call +49 (30) 123-4567"]], ["name": "opened", "props": ["a": "tel:4155552671"]],
      ["name": "opened", "props": ["a": "sms:030 1234567"]], ["name": "opened", "ctx": ["locale": "+4915112345678"]],
      ["name": "opened", "id": "ann@example.org"], ["name": "opened", "attempt": "+4915112345678"],
      ["name": "opened", "subject": "ann@example.org"], ["name": "opened", "subject": "tel:+4915112345678"],
      ["name": "opened", "subject": "a\u{85}b"], ["name": "opened", "subject": ""], ["name": "opened", "subject": long],
      // Times.
      ["name": "opened", "ts": 1_000_000_000], ["name": "opened", "ts": 1_167_609_599_999],
      ["name": "opened", "ts": 1_167_609_600_000],
      ["name": "opened", "ts": now + 86_400_001], ["name": "opened", "ts": now + 86_400_000],
      ["name": "opened", "ts": now + 500],
      // What a flow forbids, for the events of that flow.
      ["name": "named", "flow": "f", "props": ["nickName": "x"]], ["name": "named", "flow": "f", "ctx": ["nickname": "x"]],
      ["name": "named", "flow": "f", "props": ["nickname": NSNull()]],
      ["name": "named", "flow": "g", "props": ["nickname": "x"]],
    ]
  }

  private static let now = 1_795_262_400_000

  private static let definition = """
    {"app":"a","flow":"f","version":1,"steps":[{"id":"named","entered_by":["named"]}],
     "rules":[{"rule":"no_personal_data","keys":["nickname"]}]}
    """

  @Test func `over a table of cases the recorder and ingest agree`() async throws {
    let place = try Workplace()
    try place.write(Self.definition, to: "flows/a.f.v1.json")
    let lines = try Self.cases.map { fields in
      let all = ["app": "a", "subject": "s", "ts": Self.now].merging(fields) { $1 }
      return String(decoding: try JSONSerialization.data(withJSONObject: all), as: UTF8.self)
    }
    try place.write(lines.joined(separator: "\n"), to: "log.ndjson")
    _ = try FunnelRun("ingest", "log.ndjson", "--schemas", "flows", "--now", "2026-11-21T12:00:00Z", directory: place.url)
    let refusals = try Self.deadLetters(of: place)
    var refused = 0
    for (index, fields) in Self.cases.enumerated() {
      let error = await Self.refusal(of: fields)
      let expected = refusals[index + 1]
      #expect(error?.code.rawValue == expected?.reason, "\(lines[index])")
      // What to do about it depends on who reads it.
      #expect(Self.what(error?.message) == Self.what(expected?.message), "\(lines[index])")
      if error != nil { refused += 1 }
    }
    #expect(refused == refusals.count)
    #expect(refused > 35 && refused < Self.cases.count - 10)
  }

  private static func what(_ message: String?) -> Substring? { message?.split(separator: ";").first }

  /// Returns why a recorder does not take an event, or nil if it does.
  private static func refusal(of fields: [String: Any]) async -> EventRecorderError? {
    var event = FunnelEvent(
      fields["name"] as? String ?? "", flow: fields["flow"] as? String, flowVersion: fields["flow_version"] as? Int,
      step: fields["step"] as? String, props: values(fields["props"]))
    event.attempt = fields["attempt"] as? String
    event.id = fields["id"] as? String
    if event.flow == "f" { event.forbiddenKeys = ["nickname"] }
    do {
      let folder = try TemporaryFolder(isInMemory: true)
      var configuration = EventRecorder.Configuration(
        app: "a", subject: fields["subject"] as? String ?? "s", directory: URL(filePath: folder.path))
      configuration.context = values(fields["ctx"])
      configuration.fillsContext = false
      configuration.clock = { Date(timeIntervalSince1970: Double(now) / 1000) }
      let recorder = try EventRecorder(configuration)
      let time = fields["ts"] as? Int ?? now
      try await recorder.append(event, at: Date(timeIntervalSince1970: Double(time) / 1000))
      return nil
    } catch {
      return error as? EventRecorderError
    }
  }

  private static func values(_ object: Any?) -> [String: EventValue] {
    (object as? [String: Any] ?? [:]).mapValues { value in
      switch value {
      case let flag as Bool: .bool(flag)
      case let number as Int: .integer(number)
      case let number as Double: .double(number)
      case let text as String: .string(text)
      default: .null
      }
    }
  }

  /// Returns the refusals of a store by line.
  private static func deadLetters(of place: Workplace) throws -> [Int: (reason: String, message: String)] {
    let run = try FunnelRun(shell: "gzip -dc funnel-store/rejected/*/*.gz", directory: place.url)
    var result: [Int: (reason: String, message: String)] = [:]
    for line in run.output.split(separator: "\n") {
      let letter = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
      guard let number = letter["line"] as? Int, let reason = letter["reason"] as? String,
        let message = letter["message"] as? String
      else { continue }
      result[number] = (reason, message)
    }
    return result
  }
}
