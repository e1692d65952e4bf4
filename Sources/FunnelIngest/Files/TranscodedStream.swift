import FunnelModel
import FunnelSystem

/// A stream that is converted from another encoding to UTF-8. Not thread-safe.
///
/// An invalid code unit, such as half of a surrogate pair, becomes the replacement character. A byte order mark is skipped.
final class TranscodedStream: ByteStream {
  private let stream: any ByteStream
  private let encoding: TextEncoding
  /// The converter of an encoding that has no code of its own here.
  private let converter: CharacterConverter?
  /// The bytes of a code unit, or of a surrogate pair, whose end was not read yet.
  private var unfinished: [UInt8] = []
  /// The converted bytes that were not read yet, from ``position`` on.
  private var converted: [UInt8] = []
  private var position = 0
  private var isAtStart = true
  /// Whether the end of the text was converted.
  private var isEnded = false

  private static let readBytesMax = 1 << 16

  /// Creates a stream of a text in an encoding.
  ///
  /// - Throws: `unusableInput` if the system can't convert the encoding.
  init(_ stream: any ByteStream, from encoding: TextEncoding) throws(FunnelError) {
    self.stream = stream
    self.encoding = encoding
    switch encoding {
    case .utf8, .windows1252, .utf16LittleEndian, .utf16BigEndian: converter = nil
    default:
      guard let converter = CharacterConverter(from: encoding.systemName) else {
        throw FunnelError(
          .unusableInput,
          "this system can't read \(encoding.rawValue), its iconv has no \(encoding.systemName), convert the file to UTF-8")
      }
      self.converter = converter
    }
  }

  func read(into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    while position == converted.count {
      let bytes = try stream.read(upTo: Self.readBytesMax)
      let isEnd = bytes.isEmpty
      if isEnd, isEnded { return }
      isEnded = isEnd
      converted.removeAll(keepingCapacity: true)
      position = 0
      if let converter {
        converter.convert(bytes, isEnd: isEnd, into: &converted)
      } else {
        convert(unfinished + bytes, isEnd: isEnd)
      }
    }
    let count = min(output.freeCapacity, converted.count - position)
    for index in position..<position + count { output.append(converted[index]) }
    position += count
  }

  private func convert(_ bytes: [UInt8], isEnd: Bool) {
    switch encoding {
    case .utf8:
      unfinished = []
      converted += bytes
    case .windows1252:
      unfinished = []
      for byte in bytes { append(byte < 0x80 ? Unicode.Scalar(byte) : Windows1252.scalars[Int(byte) - 0x80]) }
    case .utf16LittleEndian, .utf16BigEndian: convertUTF16(bytes, isEnd: isEnd)
    default: preconditionFailure("\(encoding.rawValue) has a converter")
    }
  }

  private func convertUTF16(_ bytes: [UInt8], isEnd: Bool) {
    var index = 0
    while index + 1 < bytes.count {
      let unit = unit(of: bytes, at: index)
      var scalar = Unicode.Scalar(UInt32(unit))
      var count = 2
      if UTF16.isLeadSurrogate(unit) {
        guard index + 3 < bytes.count || isEnd else { break }
        if index + 3 < bytes.count, case let trail = self.unit(of: bytes, at: index + 2), UTF16.isTrailSurrogate(trail) {
          scalar = Unicode.Scalar(0x1_0000 + (UInt32(unit) & 0x3FF) << 10 + UInt32(trail) & 0x3FF)
          count = 4
        }
      }
      // The mark is not a part of the text.
      if !(isAtStart && scalar == "\u{FEFF}") { append(scalar) }
      isAtStart = false
      index += count
    }
    unfinished = Array(bytes[index...])
    if isEnd, !unfinished.isEmpty {
      unfinished = []
      append(nil)
    }
  }

  private func unit(of bytes: [UInt8], at index: Int) -> UInt16 {
    let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
    return encoding == .utf16BigEndian ? first << 8 | second : second << 8 | first
  }

  private func append(_ scalar: Unicode.Scalar?) {
    converted += UTF8.encode(scalar ?? "\u{FFFD}").map(Array.init) ?? []
  }
}
