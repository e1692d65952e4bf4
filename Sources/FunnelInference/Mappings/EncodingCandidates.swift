import FunnelDecoding
import FunnelModel
import FunnelSystem

/// The encodings that a text may have that is neither UTF-8 nor another encoding that is recognized, with a word as each reads it.
struct EncodingCandidates {
  /// An encoding in which all sampled bytes are valid.
  private struct Reading {
    var encoding: TextEncoding
    /// The first text beyond ASCII, read in the encoding.
    var example: String
    /// The share of characters that hardly occur in a text that is read rightly.
    var oddShare: Double
  }

  private let readings: [Reading]

  /// The share of records that are not UTF-8 from which the encoding is wrong. Single ones are damage.
  private static let recordShareMin = 0.05
  /// The number of records that are examined.
  private static let recordsMax = 1000
  /// The number of encodings that are told.
  private static let toldMax = 3
  /// The number of characters of an example.
  private static let exampleCharactersMax = 20
  /// The share of odd characters up to which an encoding is told.
  private static let oddShareMax = 0.2

  /// Examines the first records of a block. Returns `nil` if nearly all of them are UTF-8.
  init?(of block: LineBlock) {
    let lines = Self.texts(of: block)
    let invalid = lines.filter { String(validUTF8: $0) == nil }
    guard !invalid.isEmpty, Double(invalid.count) >= Self.recordShareMin * Double(lines.count) else { return nil }
    let values = invalid.flatMap(Self.values)
    readings = TextEncoding.unrecognized.compactMap { Self.reading(of: values, in: $0) }
      .filter { $0.oddShare <= Self.oddShareMax }
      .sorted { $0.oddShare < $1.oddShare }
  }

  /// Returns the records as they are in the input, with the header of a table.
  private static func texts(of block: LineBlock) -> [[UInt8]] {
    guard let origins = block.origins, let header = origins.header else {
      return block.withBytes { $0.split(separator: Byte.lineFeed).prefix(recordsMax).map(Array.init) }
    }
    return [header] + origins.records.indices.prefix(recordsMax).compactMap { origins.text(of: $0).map(Array.init) }
  }

  /// What to do, with the readings: `windows-1251 reads …, name its encoding with --encoding`.
  var solution: String {
    guard !readings.isEmpty else { return "convert it to UTF-8, or name its encoding with --encoding" }
    let told = readings.prefix(Self.toldMax).map { "\($0.encoding.rawValue) reads \($0.example.printable)" }
    return "\(told.joined(separator: ", ")): name the one that reads rightly with --encoding"
  }

  /// Returns the values of a record that have bytes beyond ASCII.
  private static func values(of record: [UInt8]) -> [[UInt8]] {
    record.split { $0 < 0x20 || ",;|\"".utf8.contains($0) }.filter { $0.contains { $0 >= 0x80 } }.map(Array.init)
  }

  /// Returns the reading of texts in an encoding, or `nil` if it can't be theirs.
  private static func reading(of texts: [[UInt8]], in encoding: TextEncoding) -> Reading? {
    guard let first = texts.first, let converter = CharacterConverter(from: encoding.systemName) else { return nil }
    var converted: [UInt8] = []
    for text in texts {
      guard converter.convert(text + [Byte.lineFeed], isEnd: true, into: &converted) == 0 else { return nil }
    }
    let scalars = String(decoding: converted, as: UTF8.self).unicodeScalars
    var example: [UInt8] = []
    converter.convert(first, isEnd: true, into: &example)
    return Reading(
      encoding: encoding, example: String(String(decoding: example, as: UTF8.self).prefix(exampleCharactersMax)),
      oddShare: oddShare(of: scalars))
  }

  /// Returns the share of characters beyond ASCII that hardly occur in a text: signs, capital letters after small ones, and letters of
  /// Japanese at half width.
  private static func oddShare(of scalars: String.UnicodeScalarView) -> Double {
    var (count, oddCount) = (0, 0)
    var previous: Unicode.Scalar = " "
    for scalar in scalars {
      defer { previous = scalar }
      guard !scalar.isASCII else { continue }
      count += 1
      let isHalfWidth = (0xFF61...0xFF9F).contains(scalar.value)
      let isMisplacedCapital = scalar.properties.isUppercase && previous.properties.isLowercase
      // A small letter of one script after a letter of another, as in `rйvolution`.
      let isMixed =
        scalar.properties.isAlphabetic && previous.isASCII && previous.properties.isAlphabetic
        && scalar.value >= 0x370
      if !scalar.properties.isAlphabetic || isHalfWidth || isMisplacedCapital || isMixed { oddCount += 1 }
    }
    return count == 0 ? 1 : Double(oddCount) / Double(count)
  }
}
