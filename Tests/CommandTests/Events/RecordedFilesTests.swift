import Foundation
import FunnelEvents
import FunnelTestSupport
import GeneratedFlows
import Testing

/// What recorders write is what `funnel ingest` reads.
@Suite struct RecordedFilesTests {
  private static let now = Date(timeIntervalSince1970: 1_795_262_400)

  private func recorder(_ app: String, in folder: String, of place: Workplace) throws -> EventRecorder {
    var configuration = EventRecorder.Configuration(
      app: app, subject: "install-1", directory: place.url.appending(path: folder))
    configuration.context = ["app_version": "5.2.1"]
    configuration.clock = { Self.now }
    configuration.fileBytesMax = 8192
    return try EventRecorder(configuration)
  }

  @Test func `every event of every built-in flow, by its generated type, is ingested and claimed`() async throws {
    let place = try Workplace()
    var count = 0
    for (number, events) in Examples.all.enumerated() {
      let recorder = try recorder(try #require(events.first?.app), in: "logs/\(number)", of: place)
      for event in events { try await recorder.append(event) }
      try await recorder.close()
      count += events.count
    }
    #expect(count > 400)
    let summary = try place.ingest("logs")
    #expect(summary["accepted"] as? Int == count)
    #expect(summary["rejected"] as? Int == 0)
    #expect(summary["duplicates"] as? Int == 0)
    #expect(summary["unclaimed"] as? Int == 0)
  }

  @Test(arguments: [0, 1, 17, 60, 100])
  func `of a file that a kill tore, ingest refuses the torn line alone`(missing: Int) async throws {
    let place = try Workplace()
    let first = try recorder("cleaner", in: "logs", of: place)
    for _ in 0..<5 { try await first.append(FunnelEvent("perm_flow_start")) }
    try await first.close()
    let name = try #require(try place.folder.files().first { $0.contains("/open-") })
    let bytes = try place.folder.contents(name)
    try place.folder.write(Array(bytes.dropLast(missing)), to: name)
    let isTorn = missing > 1
    let before = try place.ingest("logs", "--store", "before")
    #expect(before["accepted"] as? Int == (isTorn ? 4 : 5))
    #expect(before["rejected"] as? Int == (isTorn ? 1 : 0))
    let next = try recorder("cleaner", in: "logs", of: place)
    try await next.append(FunnelEvent("perm_flow_completed"))
    try await next.closeFile()
    try await next.close()
    let after = try place.ingest("logs", "--store", "after")
    #expect(after["accepted"] as? Int == (isTorn ? 5 : 6))
    #expect(after["rejected"] as? Int == (isTorn ? 1 : 0))
    #expect(after["rejected_by_reason"] as? [String: Int] == (isTorn ? ["invalid_json": 1] : [:]))
  }

  @Test func `a file that is uploaded twice counts once`() async throws {
    let place = try Workplace()
    let recorder = try recorder("cleaner", in: "logs", of: place)
    for _ in 0..<3 { try await recorder.append(FunnelEvent("perm_flow_start")) }
    try await recorder.closeFile()
    try await recorder.close()
    #expect(try place.ingest("logs")["accepted"] as? Int == 3)
    let again = try place.ingest("logs")
    #expect(again["accepted"] as? Int == 0)
    #expect(again["duplicates"] as? Int == 3)
  }
}
