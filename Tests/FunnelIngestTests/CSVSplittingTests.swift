import Foundation
import FunnelDecoding
import FunnelModel
import FunnelTestSupport
import Testing

/// Records of CSV become objects of their columns.
@Suite struct CSVSplittingTests {
  private func split(_ text: String, damage: Rejection? = nil) -> SplitText { SplitText(text, file: "t.csv", damage: damage) }

  @Test func `tables that Python wrote are read as Python reads them, whatever pieces they arrive in`() throws {
    let folder = try TemporaryFolder()
    let count = Sweeps.count(2_000, sample: 100)
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "make_tables.py").path
    let python = Process()
    python.executableURL = URL(filePath: "/usr/bin/env")
    python.arguments = ["python3", script, folder.path, "\(count)"]
    try python.run()
    python.waitUntilExit()
    #expect(python.terminationStatus == 0)
    for seed in 0..<count {
      let table = try folder.contents("\(seed).csv")
      let whole = SplitText(table, file: "t.csv")
      let found = try whole.records.map { try JSONSerialization.jsonObject(with: Data($0.text.utf8)) as? [String: String] }
      let expected = try JSONSerialization.jsonObject(with: Data(folder.contents("\(seed).json"))) as? [[String: String]]
      #expect(found == expected, "seed \(seed)")
      var random = SeededGenerator(seed: UInt64(seed))
      let pieces = SplitText(table, file: "t.csv", blockBytesTarget: 30) { Int.random(in: 1...9, using: &random) }
      #expect(pieces == whole, "seed \(seed)")
      for record in whole.records {
        let raw = Array((record.raw ?? "?").utf8)
        #expect(Array(table[record.byteOffset...].prefix(raw.count)) == raw, "seed \(seed)")
      }
    }
  }

  @Test func `each record has its first line, its offset and its text`() {
    let split = split("\u{FEFF}a,b\r\n\r\n1,\"x\r\ny\"\r\n  \r\n2,\"\"\"q\"\"\"\n,3")
    #expect(
      split.records == [
        .init(text: #"{"a":"1","b":"x\r\ny"}"#, line: 3, byteOffset: 10, raw: "1,\"x\r\ny\""),
        .init(text: #"{"a":"2","b":"\"q\""}"#, line: 6, byteOffset: 24, raw: #"2,"""q""""#),
        .init(text: #"{"b":"3"}"#, line: 7, byteOffset: 34, raw: ",3"),
      ])
  }

  @Test(arguments: [("a;b,c;d\n1;2;3", 3), ("a\tb\n1\t2", 2), ("a|b|c\n1|2|3", 3), ("\"a,,,\";b\n1;2", 2), ("a\n1", 1)])
  func `the delimiter is the one of the header`(text: String, columns: Int) {
    let values = split(text).records.map(\.text).joined()
    #expect(values.split(separator: "\":\"").count - 1 == columns && !values.contains("rejection"), "\(values)")
  }

  @Test(arguments: [
    ("a,b\n1\n", "the number of fields is 1, but the header has 2 columns"),
    ("a,b\n1,2,3\n", "the number of fields is 3, but the header has 2 columns"),
    ("a,a\n1,2\n", "two columns of the header are named a"),
    ("a,b\n1,\"2\n3,4", "a quoted field that begins in this record is not closed before the end of the file"),
    ("\"a,b\n1,2", "a quoted field that begins in this record is not closed before the end of the file"),
    ("a,\(String(repeating: "x", count: 257))\n1,2\n", "the name of column 2 is longer than 256 bytes"),
  ])
  func `a record that can't be read is refused in a sentence`(text: String, message: String) {
    let split = split(text)
    #expect(split.records.map(\.rejection) == [message])
    #expect(split.records.first?.raw?.isEmpty == false)
  }

  @Test func `bytes that are no UTF-8 cost the record they are in, or all where the header has them`() {
    let record = SplitText(Array("a,b\n1,".utf8) + [0xFF] + Array("\n3,4\n".utf8), file: "t.csv")
    #expect(record.records.map(\.rejection) == ["the record is not UTF-8", nil])
    let header = SplitText(Array("a,b".utf8) + [0xC3] + Array("\n1,2\n3,4\n".utf8), file: "t.csv")
    #expect(header.records.map(\.rejection) == ["the header is not UTF-8", "the header is not UTF-8"])
  }

  @Test func `the null of databases is no value, with and without quotes`() {
    let texts = split("a\tb\tc\n\\N\t1\t\\N\n2\t\"\\N\"\t\\n\n\\N\t\"x\"\"y\"\t\\NN\n").records.map(\.text)
    #expect(texts == [#"{"b":"1"}"#, #"{"a":"2","c":"\\n"}"#, #"{"b":"x\"y","c":"\\NN"}"#])
  }

  @Test func `columns without a name, and a file of nothing but a header, give nothing`() {
    #expect(split("a,,\n1,2,3\n").records.map(\.text) == [#"{"a":"1"}"#])
    for text in ["", "\n\n", "a,b", "a,b\r\n", "\u{FEFF}"] { #expect(split(text) == split("")) }
  }

  @Test(arguments: [0, 1, 3_000_000])
  func `a record of 1 MiB is taken, a longer one is cut, and the next one keeps its place`(excess: Int) {
    let long =
      "1,\"" + String(repeating: "x\n", count: ((1 << 20) - 4 + excess) / 2)
      + String(repeating: "y", count: excess % 2) + "\""
    let text = Array("a,b\n\(long)\n2,3\n".utf8)
    for size in [1 << 16, 1 << 20, .max] {
      let split = SplitText(text, file: "t.csv") { size }
      // As JSON each line feed has two bytes.
      if excess == 0 {
        #expect(split.records.first?.rejection?.hasPrefix("the record has 15") == true)
      } else {
        #expect(split.overlong.map(\.text) == ["\((1 << 20) + excess)"])
      }
      #expect(split.records.last?.text == #"{"a":"2","b":"3"}"#)
      #expect(split.records.last?.byteOffset == 4 + long.utf8.count + 1)
      #expect(split.records.last?.line == 3 + long.utf8.count { $0 == 0x0A })
    }
  }

  @Test func `what is left of a record before damage is no event`() {
    let split = split("a,b\n1,2\n3,", damage: Rejection(.damagedGzip, "cut"))
    #expect(split.records.map(\.text) == [#"{"a":"1","b":"2"}"#])
    #expect(split.tails.map(\.text) == ["3,"] && split.tails.map(\.byteOffset) == [8])
  }

  @Test(arguments: [("t.csv", true), ("T.CSV", true), ("x/t.csv.gz", true), ("t.json", false), ("csv", false)])
  func `CSV is known by its name, unless it begins like JSON`(name: String, isCSV: Bool) {
    #expect((SplitText("a\n1\n", file: name).records.first?.raw != nil) == isCSV)
    #expect(SplitText("{\"a\":1}\n", file: name).records.first?.raw == nil)
    #expect(SplitText(Array("a\n1\n".utf8), file: name, csv: .never).records.first?.raw == nil)
    #expect(SplitText(Array("a\n1\n".utf8), file: name, csv: .always).records.first?.raw == "1")
  }
}
