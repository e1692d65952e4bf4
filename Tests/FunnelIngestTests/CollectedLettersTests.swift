import Foundation
import FunnelIngest
import FunnelModel
import FunnelTestSupport
import Testing

@testable import FunnelDecoding

/// The dead letters that `funnel collect` leaves in the folder `rejected` of its spool.
@Suite struct CollectedLettersTests {
  private static func letter(_ line: Int, _ raw: String, _ change: (inout DeadLetter) -> Void = { _ in }) -> DeadLetter {
    var letter = DeadLetter(
      file: "collect/cleaner", line: line, byteOffset: 0, reason: .missingField, message: "there is no subject",
      raw: Array(raw.utf8), rawByteCount: raw.utf8.count, isMasked: false, defaultApp: "cleaner")
    change(&letter)
    return letter
  }

  private static func text(_ letters: [DeadLetter]) -> String {
    var bytes: [UInt8] = []
    for letter in letters { letter.appendJSON(at: Decoded.now, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns a folder `spool` with one event, and with letters in `rejected`.
  private static func makeSpool(in folder: TemporaryFolder, _ letters: String) throws -> String {
    try FileManager.default.createDirectory(atPath: folder.path("spool/rejected"), withIntermediateDirectories: true)
    try folder.write(Array((Line.with([:]) + "\n").utf8), to: "spool/collect-1.ndjson")
    try folder.write(Array(letters.utf8), to: "spool/rejected/collect-2.ndjson")
    return "spool"
  }

  @Test(arguments: [1, 3])
  func `they become dead letters of the store, once`(threads: Int) throws {
    let store = try ErasedStore()
    let letters = [
      Self.letter(1, "{}"),
      Self.letter(2, "x") {
        $0.reason = .invalidJSON
        $0.isMasked = true
      },
      Self.letter(3, #"{"event":"Welcome"}"#) { $0.format = .posthog },
    ]
    let spool = try Self.makeSpool(in: store.folder, Self.text(letters))
    for accepted in [1, 0] {
      let summary = try store.ingest(files: [spool], threads: threads)
      #expect(summary.lines == 4)
      #expect(summary.accepted == accepted)
      #expect(summary.rejectedByReason == [.missingField: 2, .invalidJSON: 1])
      #expect(summary.takenOver == 3)
      #expect(!summary.isRefusedWhole)
      #expect(summary.firstRefusals.first?.file == "collect/cleaner")
      #expect(try DeadLetters.entries(of: store.reader()).map(\.letter) == letters)
    }
  }

  @Test func `letters alone are no input of which every line was rejected`() throws {
    let store = try ErasedStore()
    let spool = try Self.makeSpool(in: store.folder, Self.text([Self.letter(1, "{}")]))
    try store.folder.remove("spool/collect-1.ndjson")
    let summary = try store.ingest(files: [spool])
    #expect(summary.lines == 1)
    #expect(!summary.isRefusedWhole)
    let error = #expect(throws: FunnelError.self) { try store.ingest(files: [spool], isStrict: true) }
    #expect(error?.message.hasPrefix("a bad line, collect/cleaner line 1: missing_field, there is no subject;") == true)
  }

  @Test func `a letter of a forgotten subject is left out`() throws {
    let store = try ErasedStore()
    try store.ingest([Line.with(["subject": #""ann""#])])
    try store.forget(["ann"])
    let spool = try Self.makeSpool(
      in: store.folder, Self.text([Self.letter(1, #"{"subject":"ann"}"#), Self.letter(2, #"{"subject":"bob"}"#)]))
    let summary = try store.ingest(files: [spool])
    #expect(summary.rejectedByReason == [.missingField: 1, .forgotten: 1])
    #expect(try DeadLetters.entries(of: store.reader()).map(\.letter.line) == [2])
  }

  @Test func `personal data that the collector let through is masked, and a masked letter stays as it is`() throws {
    let store = try ErasedStore()
    let letters = [
      Self.letter(1, #"{"props":{"email":"ann@example.org"}}"#),
      Self.letter(2, #"{"props":{"email":"***"}}"#) { $0.isMasked = true },
    ]
    let spool = try Self.makeSpool(in: store.folder, Self.text(letters))
    try store.ingest(files: [spool])
    let stored = try DeadLetters.entries(of: store.reader()).map(\.letter)
    #expect(stored.map { String(decoding: $0.raw, as: UTF8.self) } == Array(repeating: #"{"props":{"email":"***"}}"#, count: 2))
    #expect(stored.allSatisfy { $0.isMasked && !$0.isReplayable })
  }

  @Test func `a letter may be longer than an event`() throws {
    let store = try ErasedStore()
    let raw = String(repeating: "\"", count: Limits.deadLetterRawBytesMax)
    let letters = [Self.letter(1, raw) { $0.reason = .invalidJSON }, Self.letter(2, "{}")]
    let spool = try Self.makeSpool(in: store.folder, Self.text(letters))
    try store.ingest(files: [spool])
    #expect(try DeadLetters.entries(of: store.reader()).map(\.letter) == letters)
  }

  @Test func `other lines in such a file are lines of the input, with their places`() throws {
    let store = try ErasedStore()
    let event = Line.with(["id": #""other""#])
    let text = Self.text([Self.letter(1, "{}")]) + event + "\n\n{\n" + Self.text([Self.letter(2, "{}")])
    let spool = try Self.makeSpool(in: store.folder, text)
    let summary = try store.ingest(files: [spool])
    #expect(summary.accepted == 2)
    #expect(summary.takenOver == 2)
    let stored = try DeadLetters.entries(of: store.reader()).map(\.letter)
    #expect(stored.map(\.line) == [1, 4, 2])
    #expect(stored[1].file == store.folder.path("spool/rejected/collect-2.ndjson"))
  }

  @Test func `events in a folder of that name, and letters elsewhere, are read as before`() throws {
    let store = try ErasedStore()
    let spool = try Self.makeSpool(in: store.folder, Line.with(["id": #""other""#]) + "\n")
    #expect(try store.ingest(files: [spool]).accepted == 2)
    try store.folder.write(Array(Self.text([Self.letter(1, "{}")]).utf8), to: "letters.ndjson")
    let summary = try store.ingest(files: ["letters.ndjson"])
    #expect(summary.takenOver == 0)
    #expect(summary.rejected == 1)
  }
}
