import Foundation
import FunnelDecoding
import FunnelIngest
import FunnelModel
import FunnelTestSupport
import Testing

/// Files in other encodings become the same text as in UTF-8.
@Suite struct TextEncodingTests {
  /// Letters of one to four bytes in UTF-8, of which only the first two kinds are in Windows-1252.
  private static let letters: [[Character]] = [Array("abcxyz019 ,;"), Array("äöüßéñ"), Array("дж語文"), Array("🚀🎉")]

  /// Returns lines of random letters, longer than the pieces in which files are read.
  private static func text(kinds: Int, using random: inout SeededGenerator) -> String {
    var text = "user_id,event,time and more plain letters at the beginning of the file\n"
    let count = Int.random(in: 100...120_000, using: &random)
    while text.utf8.count < count {
      // Most letters of a file are plain.
      let kind = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 0..<kinds, using: &random) : 0
      text.append(letters[kind].randomElement(using: &random) ?? "a")
      if Int.random(in: 0..<60, using: &random) == 0 { text.append("\n") }
    }
    return text + "ä\n"
  }

  /// Returns the text of a file as it is decoded, and the encoding that its first block has.
  private static func read(_ bytes: [UInt8]) throws -> (text: String, encoding: TextEncoding?) {
    let folder = try TemporaryFolder()
    try folder.write(bytes, to: "t.ndjson")
    var reader = InputReader(files: try InputFile.files(at: [folder.path("t.ndjson")]))
    var text: [UInt8] = []
    var encoding: TextEncoding?
    while let block = try reader.next() {
      encoding = encoding ?? block.encoding
      block.withBytes { text += $0 }
    }
    return (String(decoding: text, as: UTF8.self), encoding)
  }

  @Test(arguments: Sweeps.seeds(200, sample: 12), [TextEncoding.utf16LittleEndian, .utf16BigEndian, .windows1252])
  func `a text is the same in every encoding, wherever its pieces end`(seed: UInt64, encoding: TextEncoding) throws {
    var random = SeededGenerator(seed: seed)
    let text = Self.text(kinds: encoding == .windows1252 ? 2 : 4, using: &random)
    let foundation: String.Encoding =
      switch encoding {
      case .utf8: .utf8
      case .utf16LittleEndian: .utf16LittleEndian
      case .utf16BigEndian: .utf16BigEndian
      case .windows1252: .windowsCP1252
      default: throw Unexpected(encoding: encoding)
      }
    let bytes = [UInt8](try #require(text.data(using: foundation)))
    let found = try Self.read(bytes)
    #expect(found.encoding == encoding, "seed \(seed)")
    #expect(found.text == text, "seed \(seed)")
  }

  private struct Unexpected: Error { let encoding: TextEncoding }

  @Test(
    arguments: Sweeps.seeds(60, sample: 4),
    [
      (TextEncoding.shiftJIS, String.Encoding.shiftJIS, "申込みしんさ完了ｱ"),
      (.windows1251, .windowsCP1251, "регистрацияЖЩё"), (.windows1250, .windowsCP1250, "zażółćgęślą"),
    ])
  func `a text in an encoding that is named is the same, wherever its pieces end`(
    seed: UInt64, encoding: (name: TextEncoding, foundation: String.Encoding, letters: String)
  ) throws {
    var random = SeededGenerator(seed: seed)
    let letters = Array(encoding.letters + "abc 01\n")
    let text =
      "{" + String((0..<Int.random(in: 100...90_000, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" })
      + "\n"
    let folder = try TemporaryFolder()
    try folder.write([UInt8](try #require(text.data(using: encoding.foundation))), to: "t.ndjson")
    var mapping = ImportMapping(source: "test")
    mapping.encoding = encoding.name
    var reader = InputReader(
      files: try InputFile.files(at: [folder.path("t.ndjson")]), imports: ImportPlans(mappings: [mapping]))
    var read: [UInt8] = []
    while let block = try reader.next() { block.withBytes { read += $0 } }
    #expect(String(decoding: read, as: UTF8.self) == text, "seed \(seed)")
  }

  @Test func `words in other alphabets are not taken for Windows-1252`() {
    let russian: [UInt8] = [0xF0, 0xE5, 0xE3, 0xE8, 0xF1, 0xF2, 0xF0, 0x2C, 0x61, 0x0A]
    #expect(TextEncoding(detecting: russian.span) == .utf8)
    let french: [UInt8] = Array("cr".utf8) + [0xE9, 0xE9] + Array("e,".utf8) + [0xC9] + Array("t\n".utf8)
    #expect(TextEncoding(detecting: french.span) == .windows1252)
  }

  @Test(arguments: [
    ("plain", Array("plain\n".utf8), TextEncoding.utf8),
    ("one character of UTF-8 beside a broken one", Array("ä".utf8) + [0xE4, 0x0A], .utf8),
    ("a byte that Windows does not define", [0x61, 0x81, 0x0A], .utf8),
    ("a zero byte", [0x61, 0xE4, 0x00, 0x0A], .utf8), ("empty", [], .utf8),
    ("only marks", [0xFF, 0xFE], .utf16LittleEndian), ("a letter", [0x61, 0xE4, 0x0A], .windows1252),
  ]) func `an encoding is detected by its bytes`(name: String, bytes: [UInt8], encoding: TextEncoding) {
    #expect(TextEncoding(detecting: bytes.span) == encoding)
  }
}
