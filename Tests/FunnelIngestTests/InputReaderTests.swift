import Foundation
import FunnelDecoding
import FunnelImport
import FunnelIngest
import FunnelModel
import FunnelTestSupport
import Testing

/// Files of all kinds: plain, gzip, damaged, in folders.
@Suite struct InputReaderTests {
  private let text = (0..<4000).map { Line.with(["id": "\"\($0)\""]) }.joined(separator: "\n") + "\n{\n"

  @Test func `a gzip file gives the same as its text, also in many members, whatever it is called`() throws {
    let plain = try GzipInput.decode(Array(text.utf8))
    #expect(plain == Decoded(text))
    #expect(try GzipInput.decode(GzipInput.compress(text)) == plain)
    var members: [UInt8] = []
    var rest = text[...]
    while !rest.isEmpty {
      members += GzipInput.compress(String(rest.prefix(60_001)))
      rest = rest.dropFirst(60_001)
    }
    #expect(try GzipInput.decode(members) == plain)
  }

  @Test func `of a damaged gzip file all is taken that can still be inflated, a whole last line too`() throws {
    let (a, b) = (Line.with(["id": #""a""#]), Line.with(["id": #""b""#]))
    let text = a + "\n" + b + "\n"
    let afterSecond = try GzipInput.decode(GzipInput.compress(text, cutAfter: text.utf8.count - 1))
    #expect(afterSecond.records == Decoded(a + "\n" + b).records)
    #expect(afterSecond.lineCount == 3)
    #expect(afterSecond.letters.map(\.reason) == [.damagedGzip])
    #expect(afterSecond.letters[0].raw == [])
    #expect(afterSecond.letters[0].line == 2)
  }

  @Test func `a last line that was cut goes into the dead letter of the damage`() throws {
    let (a, b) = (Line.with(["id": #""a""#]), Line.with(["id": #""b""#]))
    let decoded = try GzipInput.decode(GzipInput.compress(a + "\n" + b, cutAfter: a.utf8.count + 20))
    #expect(decoded.records == Decoded(a).records)
    #expect(decoded.lineCount == 2)
    let letter = try #require(decoded.letters.first)
    #expect(letter.reason == .damagedGzip)
    #expect(letter.line == 2)
    #expect(letter.byteOffset == a.utf8.count + 1)
    #expect(letter.raw == Array(b.utf8.prefix(19)))
    #expect(letter.message.contains("at byte"))
    #expect(!letter.isReplayable)
  }

  @Test func `a wrong checksum, rubbish behind a member and a lone header are damage, one dead letter each`() throws {
    let line = Line.with([:]) + "\n"
    var wrong = GzipInput.compress(line)
    wrong[wrong.count - 5] ^= 1
    for bytes in [wrong, GzipInput.compress(line) + [0x1F, 0x8B, 8]] {
      let decoded = try GzipInput.decode(bytes)
      #expect(decoded.records == Decoded(line).records)
      #expect(decoded.letters.map(\.reason) == [.damagedGzip])
      #expect(decoded.lineCount == 2)
    }
    let lone = try GzipInput.decode([0x1F, 0x8B])
    #expect(lone.letters.map(\.reason) == [.damagedGzip])
    #expect(lone.records == [])
  }

  @Test func `a folder is searched for its endings at any depth, by path; hidden files and links to folders are passed over`()
    throws
  {
    let folder = try TemporaryFolder()
    for name in ["b", "b/c", ".hidden", "a.ndjson.d"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }
    let names = [
      "z.ndjson", "a.jsonl.gz", "b/x.json", "b/c/y.json.gz", "b/c/w.ndjson.gz", "a.ndjson.d/q.jsonl", "u.txt", "export.gz",
      "b/table.csv", "b/export.zip", "x.json_2026", "x.json.1", "gz", "no.md", "no.csv.bak", "no.json.bak", "no.json~",
      ".no.json",
      ".hidden/no.json",
    ]
    for name in names { try folder.write([], to: name) }
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: folder.path("b"))
    try FileManager.default.createSymbolicLink(atPath: folder.path("m.json"), withDestinationPath: folder.path("z.ndjson"))
    let found = try InputFile.files(at: [folder.path]).map { String($0.path.dropFirst(folder.path.count + 1)) }
    #expect(
      found == [
        "a.jsonl.gz", "a.ndjson.d/q.jsonl", "b/c/w.ndjson.gz", "b/c/y.json.gz", "b/export.zip", "b/table.csv", "b/x.json",
        "export.gz", "m.json", "u.txt", "x.json.1", "x.json_2026", "z.ndjson",
      ])
    let passedOver = try #require(InputFile.files(at: [folder.path]).first).passedOver
    #expect(passedOver.count == 6)
    #expect(passedOver.examples == ["gz", "link", "no.csv.bak"].map(folder.path))
  }

  @Test func `a file that is not there, a folder without logs and a store are no input`() throws {
    let folder = try TemporaryFolder()
    func message(_ path: String) -> String? {
      do throws(FunnelError) {
        _ = try InputFile.files(at: [path])
        return nil
      } catch {
        return error.code == .noInput ? error.message : "another code"
      }
    }
    #expect(message(folder.path("none")) == "no such input, \(folder.path("none")), No such file or directory, check the path")
    let nothing =
      "nothing to read, \(folder.path), the folder has no *.ndjson, *.json*, *.csv, *.tsv, *.log, *.txt, *.gz or *.zip"
    #expect(message(folder.path) == nothing)
    for name in ["s/log", "s/rejected"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }
    try folder.write([], to: "s/log/journal.ndjson")
    let outcome = "a store can't be used as input, \(folder.path("s")), read it with --store, or name its log folder"
    #expect(message(folder.path("s")) == outcome)
    // A store inside a folder is skipped, so that `funnel ingest .` works beside ./funnel-store.
    #expect(message(folder.path) == nothing)
    try folder.write([], to: "a.ndjson")
    #expect(try InputFile.files(at: [folder.path]).map(\.path) == [folder.path("a.ndjson")])
  }
}
