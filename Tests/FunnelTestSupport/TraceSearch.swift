import Foundation
import FunnelSystem

/// Searches all files of a folder for traces of a subject, in their bytes and in their decompressed contents.
package struct TraceSearch {
  /// The forms in which a subject may occur, each with its name.
  private let shapes: [(name: String, bytes: [UInt8])]

  /// Creates a search for a subject, which should be too long to occur by chance.
  package init(for subject: String) {
    let text = Array(subject.utf8)
    let digits = text.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    var shapes: [(name: String, bytes: [UInt8])] = [
      ("text", text), ("UTF-16", Array(text.flatMap { [$0, 0] }.dropLast())),
      ("escapes", Array(digits.map { "\\u00" + $0 }.joined().utf8)),
      ("escapes in capitals", Array(digits.map { "\\u00" + $0.uppercased() }.joined().utf8)),
    ]
    // Inside a JSON string, the backslashes of a line are escaped again.
    shapes.append(("escapes in a string", Array(digits.map { "\\\\u00" + $0 }.joined().utf8)))
    // The Base64 form of a text depends on the offset, modulo three, at which it begins. Digits that it shares with its
    // neighbours are omitted.
    for shift in 0..<3 {
      let padded = Data([UInt8](repeating: 0, count: shift) + text).base64EncodedString().utf8
      shapes.append(("Base64", Array(Array(padded)[(shift == 0 ? 0 : 4)..<(padded.count / 4 * 4 - 4)])))
    }
    let key = SubjectKey.words(of: text)
    for words in [[key.high, key.low], [key.low, key.high]] {
      shapes.append(("key of the index", words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }))
    }
    self.shapes = shapes
  }

  /// Returns the file and the form of each trace.
  package func traces(in folder: TemporaryFolder, below path: String = "") throws -> [String] {
    try folder.files().filter { $0.hasPrefix(path) }.flatMap { name in
      let bytes = try folder.contents(name)
      var found = names(of: shapesFound(in: bytes), name, "")
      if Inflater.isGzip(bytes) { found += names(of: shapesFound(in: try inflated(folder.path(name))), name, " inflated") }
      return found
    }
  }

  private func names(of shapes: [String], _ file: String, _ how: String) -> [String] {
    shapes.map { "\(file)\(how): \($0)" }
  }

  private func shapesFound(in bytes: [UInt8]) -> [String] {
    let data = Data(bytes)
    return shapes.filter { data.range(of: Data($0.bytes)) != nil }.map(\.name)
  }

  private func inflated(_ path: String) throws -> [UInt8] {
    let reader = DecodedReader(try LocalFileSystem().open(StoragePath(path), for: .read))
    var bytes: [UInt8] = []
    while case let chunk = try reader.read(upTo: 1 << 18), !chunk.isEmpty { bytes += chunk }
    if let damage = reader.damage { throw damage }
    return bytes
  }
}

/// A second implementation of the 128-bit key by which the index identifies a subject: SipHash-1-3 of the length and the words
/// of the text, under the key "funnel-journeys.".
private enum SubjectKey {
  static func words(of text: [UInt8]) -> (high: UInt64, low: UInt64) {
    var state = State()
    var words = [UInt64(text.count)]
    for start in stride(from: 0, to: text.count, by: 8) {
      let piece = text[start..<min(start + 8, text.count)]
      words.append(piece.reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
    for word in words { state.take(word) }
    state.take(UInt64(8 * words.count) << 56)
    state.v.2 ^= 0xee
    for _ in 0..<3 { state.round() }
    let low = state.sum
    state.v.1 ^= 0xdd
    for _ in 0..<3 { state.round() }
    return (state.sum, low)
  }

  private struct State {
    private static let key: (UInt64, UInt64) = (0x6675_6e6e_656c_2d6a, 0x6f75_726e_6579_732e)
    var v = (
      0x736f_6d65_7073_6575 ^ key.0, 0x646f_7261_6e64_6f6d ^ key.1 ^ 0xee, 0x6c79_6765_6e65_7261 ^ key.0,
      0x7465_6462_7974_6573 ^ key.1
    )

    var sum: UInt64 { v.0 ^ v.1 ^ v.2 ^ v.3 }

    mutating func take(_ word: UInt64) {
      v.3 ^= word
      round()
      v.0 ^= word
    }

    mutating func round() {
      func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
      v.0 &+= v.1
      v.1 = rotated(v.1, 13) ^ v.0
      v.0 = rotated(v.0, 32)
      v.2 &+= v.3
      v.3 = rotated(v.3, 16) ^ v.2
      v.0 &+= v.3
      v.3 = rotated(v.3, 21) ^ v.0
      v.2 &+= v.1
      v.1 = rotated(v.1, 17) ^ v.2
      v.2 = rotated(v.2, 32)
    }
  }
}
