import FunnelDecoding
import FunnelIngest
import FunnelModel
import FunnelTestSupport
import Testing

/// A stream of bytes is split into the same lines, whatever chunks it arrives in.
@Suite struct LineSplittingTests {
  @Test func `blank lines, a byte order mark, CRLF and a missing last line break are fine and not counted`() {
    let (a, b) = (Line.with(["id": #""a""#]), Line.with(["id": #""b""#]))
    let plain = Decoded(a + "\n" + b + "\n")
    #expect(plain.records.count == 2)
    #expect(plain.lineCount == 2)
    for text in [
      a + "\n" + b, "\u{FEFF}" + a + "\n" + b, a + "\r\n" + b + "\r\n", "\n\n" + a + "\n \t\r\n\n" + b + "\n\n\r\n",
      "\u{FEFF}\r\n" + a + "\r\n\r\n" + b,
    ] {
      #expect(Decoded(text) == plain, "\(text)")
    }
    for nothing in ["", "\n", "\u{FEFF}", "\u{FEFF}\n", " \n\t\n\r\n\r"] {
      #expect(Decoded(nothing) == Decoded(""), "\(nothing.debugDescription)")
    }
  }

  @Test func `a dead letter says which line it was and where it began, blank lines and the mark counted`() {
    let decoded = Decoded("\u{FEFF}{\r\n\n  \n" + Line.with([:]) + "\nx\n[\r")
    #expect(decoded.letters.map(\.line) == [1, 5, 6])
    #expect(decoded.letters.map(\.byteOffset) == [3, 11 + Line.with([:]).utf8.count, 13 + Line.with([:]).utf8.count])
    #expect(decoded.letters.map(\.raw) == [[0x7B], [0x78], [0x5B]])
    #expect(decoded.letters.map(\.file) == ["events.ndjson", "events.ndjson", "events.ndjson"])
  }

  @Test(arguments: 0..<6)
  func `any pieces and any size of blocks give the same events and the same dead letters`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let ends = ["\n", "\n", "\r\n", "\n\n", " \r\n\n"]
    var text = Bool.random(using: &random) ? "\u{FEFF}" : ""
    for line in RandomEvents.lines(60, using: &random) { text += line + (ends.randomElement(using: &random) ?? "\n") }
    if Bool.random(using: &random) { text += "{\"cut\":" }
    let bytes = Array(text.utf8)
    let whole = Decoded(bytes)
    for target in [1, 16, 300, 5000] {
      for longest in [1, 3, 50, 4000] {
        var copy = random
        let pieces = Decoded(bytes, blockBytesTarget: target) { Int.random(in: 1...longest, using: &copy) }
        #expect(pieces == whole, "seed \(seed), blocks of \(target), pieces up to \(longest)")
      }
    }
  }

  private static let limit = 1 << 20

  private func padded(to count: Int) -> String {
    let frame = Line.with(["props": #"{"x":""}"#]).utf8.count
    return Line.with(["props": "{\"x\":\(Line.text(count - frame))}"])
  }

  @Test func `a line of exactly 1 MiB is taken, one byte more is too long`() {
    #expect(Decoded(padded(to: Self.limit)).outcome == "accepted")
    #expect(Decoded(padded(to: Self.limit) + "\r\n").outcome == "accepted")
    let long = padded(to: Self.limit + 1)
    let letter = Decoded(long + "\n").letters[0]
    #expect(letter.reason == .lineTooLong)
    #expect(letter.message == "the line has 1048577 bytes; 1048576 are allowed")
    #expect(letter.raw == Array(long.utf8.dropLast()))
    #expect(letter.rawByteCount == Self.limit + 1)
    #expect(!letter.isReplayable)
  }

  @Test(arguments: [0, 1, 2], ["\r\n", ""])
  func `the limit is the same wherever pieces end, with a mark and CRLF not counted`(excess: Int, end: String) {
    let last = end == "" ? "" : Line.with([:])
    let text = Array(("\u{FEFF}" + padded(to: Self.limit + excess) + end + last).utf8)
    let whole = Decoded(text)
    #expect(whole.letters.count == (excess > 0 ? 1 : 0))
    #expect(whole.records.count == (excess > 0 ? 0 : 1) + (last == "" ? 0 : 1))
    #expect(whole.letters.allSatisfy { $0.rawByteCount == Self.limit + excess && $0.byteOffset == 3 && $0.line == 1 })
    for border in Self.limit + 2...Self.limit + 5 {
      var isFirst = true
      let pieces = Decoded(text) {
        defer { isFirst = false }
        return isFirst ? border : 1 << 18
      }
      #expect(pieces == whole, "border at \(border)")
    }
  }

  @Test func `lines after one that is far too long keep their places`() {
    let long = String(repeating: "x", count: 3 * Self.limit)
    let text = Array(("{\n" + long + "\r\n]\n" + long + "\n" + Line.with([:])).utf8)
    for size in [1 << 18, .max] {
      let decoded = Decoded(text) { size }
      #expect(decoded.letters.map(\.line) == [1, 2, 3, 4])
      #expect(decoded.letters.map(\.byteOffset) == [0, 2, 3 * Self.limit + 4, 3 * Self.limit + 6])
      #expect(decoded.letters.map(\.rawByteCount) == [1, 3 * Self.limit, 1, 3 * Self.limit])
      #expect(decoded.letters[1].raw.count == Self.limit)
      #expect(decoded.lineCount == 5)
      #expect(decoded.records.count == 1)
    }
  }
}
