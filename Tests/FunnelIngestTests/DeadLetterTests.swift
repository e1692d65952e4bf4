import FunnelIngest
import FunnelStore
import FunnelModel
import FunnelTestSupport
import Testing

@testable import FunnelDecoding

/// The store keeps rejected lines whole and once, and they can be replayed.
@Suite struct DeadLetterTests {
  @Test func `a dead letter reads back as it was written, text or not`() throws {
    let raws: [[UInt8]] = [[], Array("{".utf8), Array("ü\u{0}\"\n".utf8), [0xFF], [0xFF, 0xFE], [1, 0xFF, 2], Array(0...255)]
    for raw in raws {
      let letter = DeadLetter(
        file: "a \"b\"\n.ndjson", line: 7, byteOffset: 12, reason: .invalidUTF8, message: "wh\u{7}y", raw: raw,
        rawByteCount: raw.count + 1,
        isMasked: raw.count == 1, defaultApp: raw.count == 2 ? "cleaner" : nil)
      var bytes: [UInt8] = []
      letter.appendJSON(at: Decoded.now, to: &bytes)
      let back = try #require(DeadLetter.parse(Array(bytes.dropLast())))
      #expect(back.letter == letter)
      #expect(back.time == Decoded.now)
      #expect(bytes.count { $0 == 0x0A } == 1)
    }
  }

  @Test func `its form is fixed`() {
    let letter = DeadLetter(
      file: "f", line: 1, byteOffset: 0, reason: .lineTooLong, message: "m", raw: [0x78], rawByteCount: 9, isMasked: false,
      defaultApp: "a")
    var bytes: [UInt8] = []
    letter.appendJSON(at: Decoded.now, to: &bytes)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"v":1,"at":"2026-11-21T12:00:00.000Z","file":"f","line":1,"offset":0,"reason":"line_too_long","message":"m","raw":"x","raw_bytes":9,"truncated":true,"app":"a"}"#
        + "\n")
  }

  @Test func `every refused line is kept, raw, with its place; the same input again adds none`() throws {
    let store = try Store()
    let text = "{\n" + Line.with([:]) + "\nnope\r\n{\n" + Line.with(["app": ""])
    let summary = try store.ingest([text])
    #expect(summary.rejected == 4)
    #expect(summary.rejectedByReason == [.invalidJSON: 3, .missingField: 1])
    let letters = try store.letters()
    #expect(letters.map { String(decoding: $0.raw, as: UTF8.self) } == ["{", "nope", "{", Line.with(["app": ""])])
    #expect(letters.map(\.line) == [1, 3, 4, 5])
    #expect(letters.allSatisfy { $0.file == store.folder.path("0.ndjson") && $0.isReplayable })
    #expect(try store.ingest([text]).rejected == 4)
    #expect(try store.letters() == letters)
  }

  @Test func `with strictness a bad line leaves nothing behind, neither events nor dead letters`() throws {
    let store = try Store()
    let error = #expect(throws: FunnelError.self) { try store.ingest([Line.with([:]) + "\n{"], isStrict: true) }
    #expect(error?.code == .unusableInput)
    #expect(
      error?.message
        == "a bad line, \(store.folder.path("0.ndjson")) line 2: invalid_json, column 2: a key in double quotes is missing here;"
        + " nothing was committed because of --strict")
    #expect(try store.reader().commits.isEmpty)
    #expect(try store.ingest([Line.with([:])], isStrict: true).accepted == 1)
  }

  @Test func `a retry takes what passes now and leaves the rest`() throws {
    let store = try Store()
    let future = Line.with(["ts": #""2026-12-24T00:00:00Z""#])
    let withoutApp = Line.with(["app": "", "id": #""x""#])
    let personal = Line.with(["props": #"{"email":"ann@example.org"}"#])
    let long = String(repeating: "y", count: 1 << 20 | 1)
    try store.ingest([[future, withoutApp, personal, "{", long].joined(separator: "\n")])
    let nothing = try store.retry()
    #expect(nothing.letters == 5)
    #expect(nothing.refused == 3)
    #expect(nothing.notReplayable == 2)
    #expect(nothing.events.commit == nil)
    #expect(try store.reader().commits.count == 1)
    let later = Timestamp(rfc3339: "2026-12-24T00:00:00Z")!
    let taken = try store.retry(app: "cleaner", now: later)
    #expect(taken.events.accepted == 2)
    #expect(taken.refused == 1)
    #expect(taken.notReplayable == 2)
    #expect(taken.events.commit == 2)
    #expect(try store.letters().map(\.reason) == [.personalData, .invalidJSON, .lineTooLong])
    #expect(try store.records().count == 2)
    #expect(try store.retry(app: "cleaner", now: later).events.commit == nil)
  }

  @Test func `a retry of an event the store has by now is a duplicate, and the dead letter goes`() throws {
    let store = try Store()
    try store.ingest([Line.with(["app": ""])])
    try store.ingest([Line.with([:])], names: ["mended"])
    let retry = try store.retry(app: "cleaner")
    #expect(retry.events.duplicates == 1)
    #expect(retry.events.accepted == 0)
    #expect(try store.letters() == [])
    #expect(try store.records().count == 1)
  }
}
