import FunnelDecoding
import FunnelModel
import FunnelTestSupport
import Testing

/// JSON values in an array, or spread over lines, are split where they begin and end.
@Suite struct ValueSplittingTests {
  @Test(arguments: Sweeps.seeds(2_000, sample: 60), [true, false])
  func `any values in any layout are found at their places, whatever pieces they arrive in`(seed: UInt64, isArray: Bool) {
    var random = SeededGenerator(seed: seed)
    let values = RandomValues(count: Int.random(in: 1...12, using: &random), isArray: isArray, using: &random)
    let whole = SplitText(values.text)
    #expect(whole.records == values.expected, "seed \(seed)")
    for (target, longest) in [(1, 1), (16, 3), (300, 40), (5000, 5000)] {
      var copy = random
      let pieces = SplitText(values.text, blockBytesTarget: target) { Int.random(in: 1...longest, using: &copy) }
      #expect(pieces == whole, "seed \(seed), blocks of \(target), pieces up to \(longest)")
    }
  }

  @Test(arguments: Sweeps.seeds(200, sample: 6), [true, false])
  func `all values before a cut are there, wherever it is, and at most one is left over`(seed: UInt64, isArray: Bool) {
    var random = SeededGenerator(seed: seed)
    let values = RandomValues(count: 4, isArray: isArray, using: &random)
    // In front of that, the shape does not show.
    for cut in (values.ends[0] + 1)...values.text.count {
      let found = SplitText(Array(values.text.prefix(cut))).records
      let whole = values.ends.count { $0 <= cut }
      #expect(Array(found.prefix(whole)) == Array(values.expected.prefix(whole)), "seed \(seed), cut at \(cut)")
      #expect(found.count <= whole + 1, "seed \(seed), cut at \(cut)")
      let damaged = SplitText(Array(values.text.prefix(cut)), damage: Rejection(.damagedGzip, "cut"))
      #expect(damaged.records == Array(values.expected.prefix(damaged.records.count)))
      // A number may go on behind the cut.
      #expect(damaged.records.count >= whole - 1 && damaged.tails.count == 1 && damaged.tails[0].rejection == "cut")
    }
  }

  @Test(arguments: [
    // A line feed ends the string it is in, so that the next value is found.
    ("[{\"a\":\"x\ny\"},\n{\"b\":1}]", ["{\"a\":\"x\ry\"},", "{\"b\":1}"]),
    ("[\n{\"a\":\"x\n},\n{\"b\":1}\n]", ["{\"a\":\"x\r}", "{\"b\":1}"]),
    // A brace where a key must stand begins a value.
    ("[{\"a\":1,\n{\"b\":1}]", ["{\"a\":1,", "{\"b\":1}"]),
    ("[{\"a\":{\"c\":1,\n{\"b\":1},{\"d\":{}}]", ["{\"a\":{\"c\":1,", "{\"b\":1}", "{\"d\":{}}"]),
    ("{\n\"a\":1\n{\n\"b\":1\n}\n", ["{ \"a\":1", "{ \"b\":1 }"]),
    // A bracket that closes nothing opened last closes what it fits.
    ("[{\"a\":[1},{\"b\":1}]", ["{\"a\":[1}", "{\"b\":1}"]),
    ("[{\"a\":1]\n{\"b\":1}", ["{\"a\":1", "{\"b\":1}"]),
    ("[{\"a\":1]}\n{\"b\":1}", ["{\"a\":1", "}", "{\"b\":1}"]),
    ("{\n\"a\":1]}\n{\"b\":1}", ["{ \"a\":1]}", "{\"b\":1}"]),
    // What is no value is one to be refused.
    ("[{\"a\":1},x y, 1 ,\"s\",[2],{\"b\":1}]", ["{\"a\":1}", "x y", "1", "\"s\"", "[2]", "{\"b\":1}"]),
    ("[{\"a\":1},]\n{\"b\":1}{\"c\":1}", ["{\"a\":1}", "{\"b\":1}", "{\"c\":1}"]),
    // Another array, and text, may follow the first.
    ("[{\"a\":1}]\n[{\"b\":1}]\nend", ["{\"a\":1}", "{\"b\":1}", "end"]), ("[]", []), ("[\n]\n", []),
  ])
  func `damage costs the values it is in`(text: String, expected: [String]) {
    #expect(SplitText(text).records.map(\.text) == expected)
    #expect(SplitText(Array(text.utf8), nextPiece: { 1 }) == SplitText(text))
  }

  @Test(arguments: [
    "{\"a\":1}\n{\"b\":2}\n", "{\"a\":\n{\"b\":2}\n", "[2026-11-20 10:00] x\n", "{\n", "[1,2]\n", "[]\n{}\n", "{\"a\":\"\n\"}",
    "{ }\n{\n",
    "\n\nx",
  ])
  func `a text of lines is left to be split at its lines`(text: String) {
    #expect(SplitText(text).lines == text)
  }

  /// First lines that are cut off, or no values at all. Each could begin an array that the next lines go on with.
  static let cutOffLines = [
    "[[", "[[1", "[{\"a\":[1", "[{\"a\":[", "[{\"a\":{", "[{\"a\":", "[{\"a\":\"", "[{\"a\":\"x,", "[[\"x,", "[[\"x\\", "[1,2",
    "[\"x", "[{", "[[1]x", "[[1],[2]", "[[}", "[{\"a\":1},{\"b\":[[", "[[{\"a\":1}", String(repeating: "[", count: 5_000),
    "[{\"a\":[" + String(repeating: "1,", count: 50_000), "  [ [", "{\"a\":[", "{\"a\":[[{",
  ]

  @Test(arguments: cutOffLines)
  func `a first line that can't be read is handed on alone, whatever it could begin`(line: String) {
    let good = (0..<3).map { "{\"id\":\"\($0)\",\"props\":{\"a\":[1,{\"b\":2}]}}" }
    for lines in [
      good, Array(good.prefix(1)),
      good.map { String($0.dropLast()) + ",\"long\":\"\(String(repeating: "x", count: 9_000))\"}" },
    ] {
      for ending in ["\n", "\r\n", "\n\n"] {
        let split = SplitText(([line] + lines).map { $0 + ending }.joined())
        let records = split.lines.split(whereSeparator: \.isNewline).map(String.init) + split.records.map(\.text)
        #expect(records == [line.filter { $0 != "\n" }] + lines, "\(line.prefix(40)) before \(lines.count) lines")
      }
    }
  }

  @Test(arguments: [
    "[{\"a\":[\n{\"b\":1}\n]},\n{\"c\":1}\n]", "[{\"a\":[\n{\"b\":1},\n{\"b\":2}\n]},\n{\"c\":1}\n]",
    "[{\"a\":\n{\"b\":1}\n},\n{\"c\":1}]",
    "[[1,2],\n{\"c\":1}\n]", "[[1,\n2]\n,{\"c\":1}\n]", "[\n[\n{\"b\":1}\n],\n{\"c\":1}\n]",
    "[{\"a\":[" + String(repeating: "\n{\"b\":1},", count: 20_000) + "\n{}]},\n{\"c\":1}]",
  ])
  func `an array whose first element goes on with an object on a line of its own is an array`(text: String) {
    let records = SplitText(text).records
    #expect(records.count == 2)
    #expect(records.last?.text == "{\"c\":1}")
  }

  @Test(arguments: [0, 1, 300_000], [true, false])
  func `a value of 1 MiB is taken, a longer one is cut, and those behind it keep their places`(excess: Int, isSpread: Bool) {
    let frame = isSpread ? "{\n\"a\":\"\"}" : "{\"a\":\"\"}"
    let long = frame.dropLast(2) + String(repeating: "x", count: (1 << 20) - frame.utf8.count + excess) + "\"}"
    let text = Array("[\n\(long),\n{\"b\":1}]".utf8)
    for size in [1 << 18, 1 << 20, .max] {
      let split = SplitText(text) { size }
      #expect(split.overlong.map(\.text) == (excess > 0 ? ["\((1 << 20) + excess)"] : []))
      #expect(split.records.count == (excess > 0 ? 1 : 2))
      let last = split.records.last
      #expect(last?.line == (isSpread ? 4 : 3) && last?.byteOffset == 2 + long.utf8.count + 2)
    }
  }

  @Test func `brackets that fit nothing take linear time`() {
    let growth = ComputingTime.growth(from: 10_000) { count in
      _ = SplitText("[{\n}," + String(repeating: "{\"a\":", count: count) + String(repeating: "]", count: count) + "]")
    }
    #expect(growth < 30)
  }
}
