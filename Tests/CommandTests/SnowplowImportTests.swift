import Foundation
import Testing

/// Imports of Snowplow's enriched stream as people run them.
@Suite struct SnowplowImportTests {
  /// Returns a line of the enriched stream.
  private func line(_ number: Int, domainUserID: String, page: String = "") -> String {
    var fields = [String](repeating: "", count: 131)
    fields[0] = "site"
    fields[1] = "web"
    fields[3] = "2026-11-20 10:15:31.000"
    fields[5] = "page_view"
    fields[6] = "c6ef3124-b53a-4b13-a233-\(100_000_000_000 + number)"
    fields[13] = "192.0.2.7"
    fields[15] = domainUserID
    fields[30] = page
    fields[124] = "2026-11-20 10:15:\(10 + number).000"
    fields[126] = "page_view"
    return fields.joined(separator: "\t") + "\n"
  }

  @Test(arguments: ["part-00000", "events.tsv", "events.csv", "events.txt"])
  func `lines are recognized whatever the file is named, also in a folder`(name: String) throws {
    let place = try Workplace()
    // A quote has no meaning in the stream.
    try place.write(
      line(1, domainUserID: "a", page: "\"Prices") + line(2, domainUserID: "b", page: "\"Home\""), to: "in/\(name)")
    let summary = try place.ingest("in/\(name)", "--app", "site")
    #expect(summary["accepted"] as? Int == 2 && summary["rejected"] as? Int == 0, "\(summary)")
    #expect(summary["formats"] as? [String: Int] == ["snowplow": 1], "\(summary)")
    guard name.contains(".") else { return }
    let again = try place.ingest("in", "--app", "site")
    #expect(again["duplicates"] as? Int == 2, "\(again)")
  }

  @Test func `a rejected line is kept as JSON with its personal values masked, and can be tried again`() throws {
    let place = try Workplace()
    try place.write(line(1, domainUserID: ""), to: "events.tsv")
    let summary = try place.ingest("events.tsv", "--app", "site")
    #expect(summary["accepted"] as? Int == 0 && summary["rejected"] as? Int == 1, "\(summary)")
    let letters = try FunnelRun(shell: "zcat funnel-store/rejected/dt=*/*.gz", directory: place.url).output
    #expect(letters.contains(#"\"user_ipaddress\":\"***\""#) && !letters.contains("192.0.2.7"), "\(letters)")
    #expect(letters.contains(#""reason":"missing_field""#) && letters.contains(#""format":"snowplow","left_out_masked":true"#))
    try place.write(#"{"from":"snowplow","subject":"event_id"}"#, to: "map.json")
    let again = try place.run("rejected", "retry", "--map", "map.json", "--now", Workplace.now)
    #expect(again.output == "retried 1 dead letter: 1 accepted, 0 duplicates, 0 still rejected\n", "\(again.errors)")
  }

  @Test func `the lines and the JSON of the sample are the same log`() throws {
    let folder = SampleFolder.root.appending(path: "vendors").path
    let logs = try ["snowplow.tsv.gz", "snowplow.json.gz"].map { name in
      let place = try Workplace()
      let summary = try place.ingest("\(folder)/\(name)", "--app", "notes")
      #expect(summary["accepted"] as? Int == 221 && summary["rejected"] as? Int == 0, "\(summary)")
      return try FunnelRun(
        shell: "zcat funnel-store/log/dt=*/*.gz | sed 's/\"received_at\":\"[^\"]*\"//' | sort", directory: place.url
      ).output
    }
    #expect(logs[0] == logs[1] && logs[0].contains(#""app_version":"2.1.0""#) && !logs[0].contains("192.0.2."))
  }

  @Test func `map init drafts a mapping of lines`() throws {
    let place = try Workplace()
    try place.write(line(1, domainUserID: "a"), to: "events.tsv")
    let draft = try place.run("map", "init", "events.tsv")
    #expect(
      draft.output.contains(#""from": "snowplow""#) && draft.output.contains(#""app": "site""#),
      "\(draft.output)\(draft.errors)")
    #expect(draft.output.contains(#""page_view""#))
  }
}
