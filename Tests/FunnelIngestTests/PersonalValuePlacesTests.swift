import FunnelDecoding
import FunnelIngest
import FunnelModel
import Testing

/// Personal data is rejected at any position in a value, in a line and in a block. Values are screened sixteen bytes at a time,
/// and most lines are read by the layout of the lines before them, so each test surrounds its lines with plain ones of the same
/// layout.
@Suite struct PersonalValuePlacesTests {
  private static let personal = [
    "+4915112345678", "+1234567", "tel:4155552671", "sms:030 1234567", "TELPROMPT:4155552671", "smsto:4155552671", "a@b.cc",
    "ann@example.org", "tel:+1(415)555-2671",
  ]
  private static let harmless = ["12:30", "a+b", "x@y", "+0491511234567", "hotel:4155552671", "tel:112", "*;<=>?/,-.AZ[`az{"]

  /// The positions of a value in an event. The events of one position have one layout, whatever their values.
  private enum Place: CaseIterable {
    case id, subject, user, attempt, property, context, unknown

    func line(_ value: String) -> String {
      func text(_ place: Place, _ plain: String) -> String { "\"\(place == self ? value : plain)\"" }
      return #"{"v":1,"id":\#(text(.id, "01a0f4c8-c3d8")),"ts":"2026-11-20T10:00:00.000Z","name":"app_opened","app":"trendy","#
        + #""subject":\#(text(.subject, "inst_6121")),"user":\#(text(.user, "acct_77")),"attempt":\#(text(.attempt, "a1")),"#
        + (self == .unknown ? #""note":\#(text(.unknown, "")),"# : "")
        + #""props":{"note":\#(text(.property, "organic"))},"ctx":{"os":\#(text(.context, "iOS 18.1"))}}"#
    }

    /// Whether the value may have up to 128 bytes.
    var isIdentifier: Bool { [.id, .subject, .user, .attempt].contains(self) }
  }

  /// Decodes lines, each between plain ones, and returns the numbers of those that were rejected as personal.
  private func refused(_ lines: [String], like plain: String, blockBytesTarget: Int = 1 << 20) -> [Int] {
    let text = lines.map { "\(plain)\n\($0)\n" }.joined() + plain
    let decoded = Decoded(Array(text.utf8), blockBytesTarget: blockBytesTarget)
    #expect(decoded.lineCount == 2 * lines.count + 1)
    #expect(decoded.letters.allSatisfy { $0.reason == .personalData && $0.isMasked })
    #expect(decoded.records.count == decoded.lineCount - decoded.letters.count)
    return decoded.letters.map { $0.line / 2 - 1 }
  }

  private func values(_ texts: [String], in place: Place) -> [String] {
    texts.flatMap { text in
      (0...34).flatMap { before in
        [0, 1, 7, 8, 15, 16, 40].map { after in
          (before == 0 ? "" : String(repeating: "x", count: before - 1) + " ") + text
            + (after == 0 ? "" : " " + String(repeating: "x", count: after - 1))
        }
      }
    }.filter { !place.isIdentifier || $0.utf8.count <= Limits.identifierBytesMax }
  }

  @Test func `at any place in a value of any length`() {
    for place in Place.allCases {
      // The shortest number with a plus sign is one only if it is the whole value.
      let values = values(Self.personal.filter { $0 != "+1234567" }, in: place) + ["+1234567"]
      #expect(refused(values.map(place.line), like: place.line("plain")) == Array(values.indices), "\(place)")
    }
  }

  @Test func `the signs of personal data alone are accepted at any place in a value`() {
    for place in Place.allCases {
      let values = values(Self.harmless, in: place) + ["", "@", "+", ":", "+12345", "12:30:00", "a:b", "é+ü", "@@@@@@@@"]
      let allowed = values.filter { !$0.isEmpty || !place.isIdentifier }
      #expect(refused(allowed.map(place.line), like: place.line("plain")) == [], "\(place)")
    }
  }

  @Test func `with its signs as escapes`() {
    for place in Place.allCases {
      let values = [
        #"\u002b4915112345678"#, #"\u002B1234567"#, #"tel\u003a4155552671"#, #"\u0074el:4155552671"#, #"ann\u0040example.org"#,
        #"\"+4915112345678\""#, #"a\\ sms:4155552671"#,
      ]
      #expect(refused(values.map(place.line), like: place.line("plain")) == Array(values.indices), "\(place)")
    }
  }

  @Test func `in lines that no layout fits`() {
    for place in Place.allCases {
      let lines = Self.personal.flatMap { value -> [String] in
        let line = place.line(value)
        return [
          line.replacing(",\"", with: ", \""), line.replacing("}}", with: "},\"list\":[]}"),
          line.replacing("\"v\":1,", with: ""),
          line.replacing("{\"v\":1,", with: "{\"extra\":[{\"deep\":\"\(value)\"}],"),
        ]
      }
      #expect(refused(lines, like: place.line("plain")) == Array(lines.indices), "\(place)")
    }
  }

  @Test func `in the first and the last line of a block and of a batch`() {
    for place in Place.allCases {
      for value in Self.personal {
        let (line, plain) = (place.line(value), place.line("plain"))
        #expect(Decoded(line).outcome.hasPrefix("personal_data"))
        for (text, lines) in [
          ("\(line)\n\(plain)\n", [1]), ("\(plain)\n\(line)", [2]), ("\(plain)\n\(plain)\n\(line)\n", [3]),
          ("\(line)\n\(plain)\n\(plain)\n\(line)", [1, 4]),
        ] {
          #expect(Decoded(text).letters.map(\.line) == lines)
          #expect(Decoded(text).letters.allSatisfy { $0.reason == .personalData })
        }
      }
      // Every line is personal, so the first and the last line of each block and of each batch are.
      let lines = (0..<1000).map { place.line(Self.personal[$0 % Self.personal.count]) }
      for bytes in [300, 4096, 1 << 20] {
        #expect(refused(lines, like: place.line("plain"), blockBytesTarget: bytes) == Array(lines.indices), "\(place)")
        let decoded = Decoded(Array(lines.joined(separator: "\n").utf8), blockBytesTarget: bytes)
        #expect(decoded.letters.count == lines.count && decoded.records.isEmpty, "\(place)")
      }
    }
  }

  @Test func `only until the lines are trusted`() {
    for place in Place.allCases {
      let decoded = Decoded(Self.personal.map(place.line).joined(separator: "\n"), isTrusted: true)
      #expect(decoded.letters.isEmpty, "\(place)")
    }
  }
}
