import Foundation
import FunnelTestSupport
import Testing

/// What holds for every importer, on the exports of `SampleLogs/vendors`.
@Suite struct ImporterLawTests {
  private static let folder = SampleFolder.root.appending(path: "vendors").path
  private static let now = "2026-11-20T00:00:00Z"
  private static let formats = [
    "segment", "rudderstack", "amplitude", "mixpanel", "posthog", "ga4", "snowplow", "snowplow.tsv", "cloudevents", "csv",
  ]

  /// An export as its records, one a line; of CSV without the header, which is apart.
  private struct Export {
    let format: String
    var header = ""
    var records: [String]

    /// - Parameter format: The format, and the ending of the file if the format has several forms.
    init(_ format: String) throws {
      self.format = String(format.prefix { $0 != "." })
      let script =
        switch format {
        case "segment": "zcat segment.gz"
        case "rudderstack": "zcat rudderstack.jsonl.gz"
        case "amplitude":
          "python3 -c \"import zipfile,gzip,sys;z=zipfile.ZipFile('amplitude.zip');sys.stdout.write(''.join(gzip.decompress(z.read(n)).decode() for n in z.namelist()))\""
        case "mixpanel": "zcat mixpanel.ndjson.gz"
        case "posthog", "cloudevents":
          "zcat \(format).json.gz | python3 -c \"import json,sys;[print(json.dumps(r)) for r in json.load(sys.stdin)]\""
        case "ga4", "snowplow": "zcat \(format).json.gz"
        case "snowplow.tsv": "zcat snowplow.tsv.gz"
        default: "grep -v 'and left' table.csv | sed 's/,\"she said.*$/,/' | tr -d '\\r'"
        }
      let run = try FunnelRun(shell: "cd '\(ImporterLawTests.folder)' && \(script)")
      records = run.output.split(separator: "\n").map(String.init)
      if format == "csv" { header = records.removeFirst() + "\n" }
      #expect(records.count > 200, "\(format): \(run.errors)")
    }

    /// The text of some records.
    func text(_ records: [String]) -> String { header + records.map { $0 + "\n" }.joined() }
  }

  private func summary(_ text: String, _ export: Export, in place: Workplace) throws -> (
    accepted: Int, duplicates: Int, rejected: Int
  ) {
    try place.write(text, to: export.format == "csv" ? "log.csv" : "log.json")
    let run = try FunnelRun(
      arguments: [
        "ingest", export.format == "csv" ? "log.csv" : "log.json", "--from", export.format, "--map",
        "\(Self.folder)/\(export.format).map.json", "--source-tz", "UTC", "--format", "json", "--now", Self.now,
      ], directory: place.url)
    #expect(run.status == 0 || run.status == 65, "\(run.errors)")
    let summary = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any] ?? [:]
    return (summary["accepted"] as? Int ?? -1, summary["duplicates"] as? Int ?? -1, summary["rejected"] as? Int ?? -1)
  }

  /// Returns the records of the log, sorted, without what says when they came and where in a table they stood.
  private func log(_ place: Workplace) throws -> String {
    try FunnelRun(
      shell: "zcat funnel-store/log/dt=*/*.gz | sed 's/\"received_at\":\"[^\"]*\"//; s/\"seq\":[0-9]*,//' | sort",
      directory: place.url
    )
    .output
  }

  @Test(arguments: formats) func `the order of the records does not matter, and twice is once`(format: String) throws {
    let export = try Export(format)
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let places = (try Workplace(), try Workplace())
    let first = try summary(export.text(export.records), export, in: places.0)
    #expect(first.rejected == 0 && first.duplicates == 0)
    let shuffled = (export.records + export.records.prefix(50)).shuffled(using: &random)
    let second = try summary(export.text(shuffled), export, in: places.1)
    #expect(second == (first.accepted, 50, 0), "seed \(seed)")
    #expect(try log(places.0) == log(places.1), "seed \(seed)")
    #expect(try summary(export.text(shuffled), export, in: places.0) == (0, shuffled.count, 0), "seed \(seed)")
  }

  @Test(arguments: formats) func `a bad record costs itself alone`(format: String) throws {
    let export = try Export(format)
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    var records = export.records
    let bad = ["{", "[1]", "{\"a\":}", "nonsense", "{}", "\"\\ud800\""]
    for (offset, text) in bad.enumerated() {
      records.insert(text, at: Int.random(in: 0...records.count - offset, using: &random))
    }
    let result = try summary(export.text(records), export, in: Workplace())
    #expect(result == (export.records.count, 0, bad.count), "seed \(seed)")
  }

  @Test(arguments: formats) func `cut anywhere, the whole records in front are taken`(format: String) throws {
    let export = try Export(format)
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let text = Array(export.text(export.records).utf8)
    for _ in 0..<5 {
      let cut = Int.random(in: export.header.utf8.count + 1..<text.count, using: &random)
      let kept = text[..<cut]
      let whole = kept.count { $0 == UInt8(ascii: "\n") } - (export.header.isEmpty ? 0 : 1)
      let result = try summary(String(decoding: kept, as: UTF8.self), export, in: Workplace())
      // What is left of the last record is refused, unless only its line feed is missing.
      #expect(result.accepted == whole || result.accepted == whole + 1, "seed \(seed), cut at \(cut)")
      #expect(result.accepted + result.rejected <= whole + 1, "seed \(seed), cut at \(cut)")
    }
  }
}
