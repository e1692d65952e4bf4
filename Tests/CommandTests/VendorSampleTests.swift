import Foundation
import Testing

/// `SampleLogs/vendors`: one story as nine products export it. Each gives the report of funnel's own events, byte for byte.
@Suite struct VendorSampleTests {
  /// An export, with the options that say what it is.
  struct Export: CustomTestStringConvertible {
    let format: String
    let file: String
    var files = 1
    var more: [String] = []

    var testDescription: String { file }
    var path: String { VendorSampleTests.folder + "/" + file }
    var options: [String] { ["--map", "\(VendorSampleTests.folder)/\(format).map.json"] + more }
  }

  private static let folder = SampleFolder.root.appending(path: "vendors").path
  private static let now = ["--now", "2026-11-20T00:00:00Z"]
  private static let flows = ["--schemas", folder + "/flows"]
  private static let exports = [
    Export(format: "segment", file: "segment.gz"), Export(format: "rudderstack", file: "rudderstack.jsonl.gz"),
    Export(format: "amplitude", file: "amplitude.zip", files: 2), Export(format: "mixpanel", file: "mixpanel.ndjson.gz"),
    Export(format: "posthog", file: "posthog.json.gz"), Export(format: "ga4", file: "ga4.json.gz"),
    Export(format: "snowplow", file: "snowplow.tsv.gz"), Export(format: "snowplow", file: "snowplow.json.gz"),
    Export(format: "cloudevents", file: "cloudevents.json.gz"),
    Export(format: "csv", file: "table.csv", more: ["--source-tz", "UTC"]),
  ]

  private func report(_ arguments: [String], in place: Workplace) throws -> String {
    let run = try FunnelRun(
      arguments: ["report"] + arguments + ["--format", "json"] + Self.flows + Self.now, directory: place.url)
    #expect(run.status == 0, "\(run.errors)")
    return run.output
  }

  @Test(arguments: exports) func `an export gives the report of funnel's own events`(export: Export) throws {
    let place = try Workplace()
    let native = try report([Self.folder + "/native.ndjson.gz"], in: place)
    #expect(native.contains("\"entered\":60"))
    #expect(try report([export.path] + export.options, in: place) == native)
    #expect(try report([export.path, "--from", export.format, "--threads", "1"] + export.options, in: place) == native)

    let arguments = ["ingest", export.path, "--format", "json"] + export.options + Self.flows + Self.now
    let first = try FunnelRun(arguments: arguments, directory: place.url)
    #expect(first.status == 0 && first.output.contains("\"rejected\":0,"), "\(first.output)\(first.errors)")
    #expect(first.output.contains("\"formats\":{\"\(export.format)\":\(export.files)}"), "\(first.output)")
    // The mapping says it already.
    #expect(!first.errors.contains("says so for good"))
    let again = try FunnelRun(arguments: arguments, directory: place.url)
    #expect(again.output.contains("\"accepted\":0,\"duplicates\":\(Self.eventCount),"), "\(again.output)")
    #expect(try report([], in: place) == native)
  }

  /// The number of events of the story.
  private static let eventCount = 221

  @Test func `what is personal is left out and counted`() throws {
    let place = try Workplace()
    let segment = Self.exports[0]
    let run = try FunnelRun(
      arguments: ["ingest", segment.path, "--format", "json"] + segment.options + Self.flows + Self.now, directory: place.url)
    for path in ["context.ip", "context.traits", "context.device.advertisingId", "context.device.name", "properties.tags"] {
      #expect(run.output.contains("\"\(path)\":\(Self.eventCount)"), "\(path): \(run.output)")
    }
    let log = try FunnelRun(shell: "zcat funnel-store/log/dt=*/*.gz", directory: place.url).output
    for text in ["192.0.2.", "example.com", "Phone of", "advertising"] { #expect(!log.contains(text), "\(text)") }
    #expect(
      log.contains(#","user":"user-0"#)
        && log.components(separatedBy: "user-0").count == log.components(separatedBy: #","user":"user-0"#).count)
  }

  @Test func `the exports are what the script makes`() throws {
    let place = try Workplace()
    let script =
      "cp -r '\(Self.folder)' made && cd made && find . -name '*.gz' -delete && rm table.csv && python3 make_samples.py"
    #expect(try FunnelRun(shell: script, directory: place.url).status == 0)
    // Compressed bytes differ from one zlib to the next.
    let compare =
      "for f in *.gz; do zcat $f | cmp - $(zcat '\(Self.folder)'/$f > ../x; echo ../x) || exit 1; done; cmp table.csv '\(Self.folder)'/table.csv"
    let run = try FunnelRun(shell: "cd made && \(compare)", directory: place.url)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }
}
