import Foundation
import Testing

/// Records of other products with awkward values.
@Suite struct ForeignRecordTests {
  private func log(_ place: Workplace) throws -> String {
    try FunnelRun(shell: "zcat funnel-store/log/dt=*/*.gz", directory: place.url).output
  }

  private func letters(_ place: Workplace) throws -> String {
    try FunnelRun(shell: "zcat funnel-store/rejected/dt=*/*.gz", directory: place.url).output
  }

  private static func track(_ event: String, _ id: String, _ more: String = "") -> String {
    "{\"type\":\"track\",\"event\":\"\(event)\",\"anonymousId\":\"a\",\"messageId\":\"\(id)\",\"timestamp\":\"2026-11-20T10:00:00Z\"\(more)}\n"
  }

  @Test func `Amplitude's times stay UTC when a zone is given for other files`() throws {
    let place = try Workplace()
    try place.write(
      #"{"event_type":"Go","event_time":"2026-11-20 10:00:00.5","device_id":"d","uuid":"u1"}"#, to: "amplitude.json")
    _ = try place.ingest("amplitude.json", "--app", "cleaner", "--source-tz", "Europe/Berlin")
    #expect(try log(place).contains(#""ts":"2026-11-20T10:00:00.500Z""#))
  }

  @Test func `what a mapping takes out of personal objects stays in a dead letter, so that it can be tried again`() throws {
    let place = try Workplace()
    let records = ["i-1", "i-2"].map { install in
      "{\"kind\":\"Japan\",\"event_time\":\"2026-11-20 10:00:00\",\"device_id\":\"d\",\"uuid\":\"\(install)\","
        + "\"user_properties\":{\"install\":\"\(install)\",\"plan\":\"gold\"}}\n"
    }.joined()
    try place.write(records, to: "amplitude.json")
    try place.write(#"{"from":"amplitude","subject":"user_properties.install"}"#, to: "map.json")
    _ = try place.ingest("amplitude.json", "--app", "cleaner", "--map", "map.json")
    #expect(try letters(place).contains(#"{\"install\":\"i-1\",\"plan\":\"***\"}"#))
    try place.write(
      #"{"from":"amplitude","subject":"user_properties.install","name":"kind"}"#, to: "map.json")
    let again = try place.run("rejected", "retry", "--map", "map.json", "--now", Workplace.now)
    #expect(again.output == "retried 2 dead letters: 2 accepted, 0 duplicates, 0 still rejected\n", "\(again.errors)")
    #expect(try log(place).contains(#""subject":"i-2","app":"cleaner""#))
  }

  @Test func `the country of a Segment record is there after another try`() throws {
    let place = try Workplace()
    try place.write(
      Self.track("Japan", "m", #","context":{"location":{"city":"Kiel","country":"DE"}}"#)
        .replacing("2026-11-20T10:00:00Z", with: "20.11.2026 10:00 UTC"), to: "segment.json")
    _ = try place.ingest("segment.json", "--app", "cleaner")
    #expect(try letters(place).contains(#"{\"city\":\"***\",\"country\":\"DE\"}"#))
    try place.write(#"{"ts":{"path":"timestamp","format":"dd.MM.yyyy HH:mm z"}}"#, to: "map.json")
    _ = try place.run("rejected", "retry", "--map", "map.json", "--now", Workplace.now)
    #expect(try log(place).contains(#""ctx":{"country":"DE"}"#))
  }

  @Test func `pairs of which a mapping takes some are masked whole, and not tried again`() throws {
    let place = try Workplace()
    try place.write(
      #"{"event_timestamp":"1795168800000000","user_pseudo_id":"p","user_properties":[{"key":"plan","value":{"string_value":"gold"}}]}"#,
      to: "ga4.json")
    try place.write(#"{"from":"ga4","app":"cleaner","props":{"plan":"user_properties.plan"}}"#, to: "map.json")
    _ = try place.ingest("ga4.json", "--map", "map.json")
    #expect(try !letters(place).contains("gold"))
    let again = try place.run("rejected", "retry", "--map", "map.json", "--now", Workplace.now)
    #expect(again.output.contains("1 can't be retried (masked, cut or damaged)"), "\(again.output)\(again.errors)")
  }

  @Test func `a value that a mapping calls personal is masked under the name that the record gives it`() throws {
    let place = try Workplace()
    try place.write(Self.track("Result", "m", #","properties":{"n":"Ann Lee","plan":"gold"}"#), to: "segment.json")
    try place.write(
      #"{"app":"cleaner","events":{"Result":{"name":"r","props":{"contact_name":"properties.n"}}}}"#, to: "map.json")
    let summary = try place.ingest("segment.json", "--map", "map.json")
    #expect(summary["rejected_by_reason"] as? [String: Int] == ["personal_data": 1])
    #expect(try letters(place).contains(#"{\"n\":\"***\",\"plan\":\"gold\"}"#))
  }

  @Test func `a call without an id of a person is refused as such`() throws {
    let place = try Workplace()
    try place.write(#"{"type":"track","event":"A","messageId":"m","timestamp":"2026-11-20T10:00:00Z"}"#, to: "segment.json")
    let run = try place.run("report", "segment.json", "--app", "cleaner", "--now", Workplace.now)
    #expect(
      run.errors.contains("segment.json:1: missing_field, subject: the record has none of anonymousId, userId; "),
      "\(run.errors)")
  }

  @Test func `an empty string is absent for a condition of a mapping`() throws {
    let place = try Workplace()
    try place.write(
      Self.track("Result", "m1", #","properties":{"answer":""}"#)
        + Self.track("Result", "m2", #","properties":{"answer":null}"#)
        + Self.track("Result", "m3") + Self.track("Result", "m4", #","properties":{"answer":"no"}"#), to: "segment.json")
    try place.write(
      #"{"app":"cleaner","events":{"Result":{"name":"nothing_said","when":{"properties.answer":[null,"skipped"]}}}}"#,
      to: "map.json")
    _ = try place.ingest("segment.json", "--map", "map.json")
    let names = try log(place).split(separator: "\n").map { $0.contains("nothing_said") }
    #expect(names.count { $0 } == 3 && names.count == 4)
  }

  @Test func `properties within a text are read, and what is personal among them is left out and told`() throws {
    let place = try Workplace()
    try place.write(
      #"{"uuid":"u","event":"x","distinct_id":"p","timestamp":"2026-11-20T10:00:00Z","properties":"{\"$ip\":\"192.0.2.1\"}"}"#,
      to: "posthog.json")
    let summary = try place.ingest("posthog.json", "--app", "cleaner")
    #expect(summary["left_out"] as? [String: Int] == ["properties.$ip": 1])
    #expect(try !log(place).contains("192.0.2.1"))
  }

  @Test func `columns that no mapping names are told, and kept in a dead letter`() throws {
    let place = try Workplace()
    try place.write(
      "who,at,what,plan,note\na,2026-11-20T10:00:00Z,Seen,free,\nb,2026-11-20T10:00:00Z,Seen,pro,x\nc,never,Seen,pro,y\n",
      to: "t.csv")
    try place.write(#"{"from":"csv","app":"cleaner","subject":"who","ts":"at","name":"what"}"#, to: "map.json")
    let summary = try place.ingest("t.csv", "--map", "map.json")
    #expect(summary["left_out"] as? [String: Int] == ["plan": 2, "note": 1])
    #expect(try letters(place).contains(#""raw":"c,never,Seen,pro,y""#))
  }

  @Test func `where the wrong column was chosen, those that look like ids are tried and told`() throws {
    let place = try Workplace()
    let steps = ["perm_flow_start", "perm_photos_pre_prompt_shown", "perm_photos_granted"]
    let rows = (0..<30).flatMap { person in
      steps.enumerated().map { "row\(person)-\($0),user\(person),2026-11-20T10:00:0\($0)Z,\($1),x\n" }
    }
    try place.write("row,user_id,at,what,color\n" + rows.joined(), to: "t.csv")
    try place.write(#"{"from":"csv","app":"cleaner","subject":"row","ts":"at","name":"what"}"#, to: "map.json")
    let run = try place.run("report", "t.csv", "--map", "map.json", "--now", Workplace.now)
    #expect(
      run.errors.contains(
        "30 of 90 enter cleaner/permissions_flow@1 by the id that was used as the subject; it would be 30 of 30 by user_id: "),
      "\(run.errors)")
  }
}
