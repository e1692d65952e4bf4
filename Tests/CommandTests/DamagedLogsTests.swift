import Foundation
import Testing

@Suite struct DamagedLogsTests {
  @Test func `the damaged logs hold every reason to refuse a line there is`() throws {
    let schemaFile = SampleFolder.root.deletingLastPathComponent().appending(path: "Schemas/dead_letter.v1.schema.json")
    let schema = try JSONSerialization.jsonObject(with: Data(contentsOf: schemaFile)) as? [String: Any]
    let properties = try #require(schema?["properties"] as? [String: [String: Any]])
    let reasons = try #require(properties["reason"]?["enum"] as? [String])
    let answer = try IngestAnswer(SampleWorkspace(.damaged).ingest("--format", "json"))
    #expect(Set(answer.rejectedByReason.keys) == Set(reasons))
    #expect(answer.lines == answer.accepted + answer.duplicates + answer.rejected)
  }

  @Test func `every sound line of the damaged text files is taken`() throws {
    let workspace = try SampleWorkspace(.damaged)
    try #require(workspace.ingest().status == 0)
    let taken = try Set(workspace.run("log", "cat").output.split(separator: "\n").compactMap(id))
    let files = ["json", "not_objects", "utf8", "fields", "versions", "times", "personal", "names", "line_ends"]
    for file in files {
      let text = try Data(contentsOf: SampleFolder.damaged.url.appending(path: "\(file).ndjson"))
      // Ids that begin with inst_, such as inst_21-3, belong to sound events between the bad lines.
      let sound = text.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }.compactMap(id).filter {
        $0.hasPrefix("inst_")
      }
      #expect(sound.count > 5)
      #expect(sound.filter { !taken.contains($0) } == [], "\(file)")
    }
  }

  @Test func `what only just passes is taken`() throws {
    let workspace = try SampleWorkspace(.damaged)
    try #require(workspace.ingest().status == 0)
    let taken = try Set(workspace.run("log", "cat").output.split(separator: "\n").compactMap(id))
    let ids = [
      "first-of-2007", "a-day-ahead-to-the-millisecond", "milliseconds", "offset-and-nanoseconds", "a-clock-of-1970-put-right",
      "sound-utf-8-0", "sound-utf-8-1", "sound-utf-8-2", "sound-utf-8-3", "no-personal-data-at-sign",
      "no-personal-data-image-name", "no-personal-data-too-short", "no-personal-data-no-plus",
      "no-personal-data-in-a-sentence", "no-personal-data-no-domain",
    ]
    #expect(ids.filter { !taken.contains($0) } == [])
  }

  @Test func `personal data reaches neither the log nor the dead letters nor any message`() throws {
    let workspace = try SampleWorkspace(.damaged)
    var said = [try workspace.ingest()]
    for arguments in [["log", "cat"], ["rejected", "ls", "--format", "json"], ["rejected", "ls"], ["rejected", "show"]] {
      said.append(try workspace.run(arguments))
    }
    let text = said.map { ($0.output + $0.errors).lowercased() }.joined()
    #expect(text.contains("***"))
    for secret in ["private", "example.org", "+4915112345678", "203.0.113.77", "52.520008", "ea7583cd"] {
      #expect(!text.contains(secret), "\(secret)")
    }
  }

  private func id(_ line: some StringProtocol) -> String? {
    guard let start = line.range(of: "\"id\":\"") ?? line.range(of: "\"id\" : \"") else { return nil }
    return String(line[start.upperBound...].prefix { $0 != "\"" })
  }
}
