import Foundation
import FunnelDecoding
import FunnelIngest
import FunnelModel
import FunnelSchemas
import FunnelTestSupport

/// Gzip files made without the code under test: their deflate blocks are stored ones (RFC 1951 section 3.2.4).
enum GzipInput {
  /// Returns one gzip member with a text, cut after `count` bytes of the text unless that is nil.
  static func compress(_ text: String, cutAfter count: Int? = nil) -> [UInt8] {
    let bytes = Array(text.utf8)
    var member: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(block.count)
      let length = UInt16(block.count)
      member += [rest.isEmpty ? 1 : 0, UInt8(length & 255), UInt8(length >> 8), UInt8(~length & 255), UInt8(~length >> 8)]
      if let count, bytes.count - rest.count >= count {
        return member + block.prefix(count - (bytes.count - rest.count - block.count))
      }
      member += block
    } while !rest.isEmpty
    for word in [checksum(bytes), UInt32(truncatingIfNeeded: bytes.count)] {
      member += (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) }
    }
    return member
  }

  /// Returns the CRC-32 of RFC 1952 section 8, computed bit by bit.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var value = UInt32.max
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
    return ~value
  }

  /// Returns the result of reading a file with these bytes.
  static func decode(_ bytes: [UInt8]) throws -> Decoded {
    let folder = try TemporaryFolder()
    try folder.write(bytes, to: "events.ndjson")
    return try decode(InputFile.files(at: [folder.path("events.ndjson")]))
  }

  /// Returns the result of reading files, with all paths in dead letters replaced by `events.ndjson`.
  static func decode(_ files: [InputFile]) throws -> Decoded {
    var reader = InputReader(files: files)
    var decoder = BlockDecoder(
      options: DecodingOptions(now: Decoded.now, privacy: BuiltInSchemas.privacy), catalog: Decoded.builtIn)
    var decoded = Decoded("")
    while let block = try reader.next() { decoded.add(decoder.decode(block)) }
    for index in decoded.letters.indices { decoded.letters[index].file = "events.ndjson" }
    return decoded
  }
}
