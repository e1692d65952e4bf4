package import FunnelModel

/// A gzip member of the log: a complete gzip file (RFC 1952) whose header contains the member's length and a
/// summary of its contents.
///
/// Constraints: every gzip tool must be able to read a file of such members like any other; our own reader must be
/// able to skip from member to member without inflating, and to select the members it needs.
///
/// Layout, with all numbers in little-endian byte order:
///
///     offset  bytes
///          0      4  1f 8b 08 04: gzip, deflate, flag FEXTRA and no other
///          4      6  00 00 00 00 00 ff: no time, no hint, system unknown
///         10      2  24 00: 36 bytes of extra fields follow
///         12      4  46 4e 20 00: the subfield "FN", 32 bytes
///         16      1  version of the subfield, 1
///         17      3  00 00 00
///         20      4  length of the whole member, from its first byte to its last
///         24      4  length of the inflated data
///         28      4  number of lines
///         32      8  smallest timestamp, milliseconds since 1970, signed
///         40      8  largest timestamp, likewise
///         48      -  a deflate stream, then CRC-32 and length as in gzip
///
/// Nothing is trusted before it is checked: a reader that inflates compares the CRC-32 and both lengths. Known
/// limitation: a file cut at a member boundary is valid to gzip; the journal detects that.
package enum GzipMember {
  /// The length of the header, in bytes.
  package static let headerBytes = 48
  /// The length of the CRC-32 and the length after the deflate stream, in bytes.
  static let trailerBytes = 8
  /// The length of the common beginning of all headers, in bytes.
  package static let markBytes = 16
  /// The first 20 bytes of every header of version 1.
  private static let fixedHeader: [UInt8] = [
    0x1F, 0x8B, 8, 4, 0, 0, 0, 0, 0, 0xFF, 36, 0, UInt8(ascii: "F"), UInt8(ascii: "N"), 32, 0, version, 0, 0, 0,
  ]
  private static let version: UInt8 = 1

  /// The offsets of the fields of a header.
  private enum Offset {
    static let version = 16
    static let reserved = 17
    static let memberBytes = 20
    static let rawBytes = 24
    static let lines = 28
    static let firstTimestamp = 32
    static let lastTimestamp = 40
  }

  /// The contents of a member's header.
  package struct Header: Hashable, Sendable {
    /// The length of the whole member in the file, in bytes.
    package var memberBytes: Int
    /// The length of the inflated data, in bytes.
    package var rawBytes: Int
    /// The number of lines.
    package var lines: Int
    /// The smallest and the largest timestamp.
    package var timestamps: ClosedRange<Timestamp>
  }

  /// The problem with a member, as the end of a sentence: "the checksum does not match".
  package struct Damage: Error, Hashable, Sendable {
    package var reason: String
  }

  /// Compresses lines into a complete member.
  ///
  /// - Parameters:
  ///   - lines: The number of lines in `raw`.
  ///   - timestamps: The smallest and the largest timestamp of the lines.
  /// - Precondition: `raw` has at most ``Limits/memberRawBytesMax`` bytes.
  package static func encode(
    _ raw: Span<UInt8>, lines: Int, timestamps: ClosedRange<Timestamp>, with deflater: Deflater
  ) -> [UInt8] {
    precondition(raw.count <= Limits.memberRawBytesMax, "a member holds at most \(Limits.memberRawBytesMax) bytes")
    var member = fixedHeader
    // The length of the member, which is not known yet.
    member.append(littleEndian: UInt32(0))
    member.append(littleEndian: UInt32(raw.count))
    member.append(littleEndian: UInt32(lines))
    member.append(littleEndian: timestamps.lowerBound.milliseconds)
    member.append(littleEndian: timestamps.upperBound.milliseconds)
    assert(member.count == headerBytes, "the header has its documented length")
    deflater.appendStreamAndTrailer(of: raw, to: &member)
    var length: [UInt8] = []
    length.append(littleEndian: UInt32(member.count))
    member.replaceSubrange(Offset.memberBytes..<Offset.rawBytes, with: length)
    return member
  }

  /// Parses the header at the beginning of the bytes. Other bytes may follow it.
  ///
  /// - Throws: ``Damage`` if there is no header, or if it is of a newer version.
  package static func header(of bytes: Span<UInt8>) throws(Damage) -> Header {
    guard bytes.count >= headerBytes else { throw Damage(reason: "a member's header is cut off") }
    // The version is checked last, so that a newer version is distinguished from invalid data.
    guard isMark(bytes) else { throw Damage(reason: "there is no gzip member written by funnel") }
    guard bytes[Offset.version] == version else {
      throw Damage(reason: "the member is of version \(bytes[Offset.version]), which needs a newer funnel")
    }
    guard (Offset.reserved..<Offset.memberBytes).allSatisfy({ bytes[$0] == 0 }) else {
      throw Damage(reason: "a member's header is invalid")
    }
    let first = Timestamp(milliseconds: bytes.integer(at: Offset.firstTimestamp, as: Int64.self))
    let last = Timestamp(milliseconds: bytes.integer(at: Offset.lastTimestamp, as: Int64.self))
    let memberBytes = Int(bytes.integer(at: Offset.memberBytes, as: UInt32.self))
    let rawBytes = Int(bytes.integer(at: Offset.rawBytes, as: UInt32.self))
    // Values larger than a member can have would make a reader allocate excessive memory.
    guard (headerBytes + trailerBytes + 1...Limits.memberBytesMax).contains(memberBytes), rawBytes <= Limits.memberRawBytesMax,
      first <= last
    else {
      throw Damage(reason: "a member's header is invalid")
    }
    return Header(
      memberBytes: memberBytes, rawBytes: rawBytes, lines: Int(bytes.integer(at: Offset.lines, as: UInt32.self)),
      timestamps: first...last)
  }

  /// Returns the offset of the first header in the bytes, or `nil` if there is none. Only the first ``markBytes``
  /// bytes of the header have to be present.
  package static func offsetOfHeader(in bytes: Span<UInt8>) -> Int? {
    // Compressed data does not contain these bytes by chance, only if an event contains a whole member.
    guard bytes.count >= markBytes else { return nil }
    for offset in 0...(bytes.count - markBytes)
    where bytes[offset] == fixedHeader[0] && bytes[offset + 1] == fixedHeader[1] {
      if isMark(bytes.extracting(droppingFirst: offset)) { return offset }
    }
    return nil
  }

  /// Returns whether the bytes begin with the common beginning of all headers.
  private static func isMark(_ bytes: Span<UInt8>) -> Bool {
    bytes.count >= markBytes && (0..<markBytes).allSatisfy { bytes[$0] == fixedHeader[$0] }
  }

  /// Inflates one member. Returns the inflated bytes after checking both lengths and the CRC-32.
  ///
  /// - Parameter member: The bytes of exactly one member.
  /// - Throws: ``Damage`` if the member is not intact.
  package static func decode(_ member: Span<UInt8>, with engine: Inflater.Engine = .fastest) throws(Damage) -> [UInt8] {
    let header = try header(of: member)
    let trailerOffset = member.count - trailerBytes
    guard header.memberBytes == member.count,
      Int(member.integer(at: trailerOffset + 4, as: UInt32.self)) == header.rawBytes
    else { throw Damage(reason: "a member's length does not match its header") }
    let stream = member.extracting(headerBytes..<trailerOffset)
    var checksum: UInt32?
    // The libraries need the address of at least one byte.
    let raw = [UInt8](capacity: max(header.rawBytes, 1)) {
      checksum = engine.type.inflateWhole(stream, into: &$0)
    }
    guard let checksum, raw.count == header.rawBytes else { throw Damage(reason: "a member can't be inflated") }
    guard checksum == member.integer(at: trailerOffset, as: UInt32.self) else {
      throw Damage(reason: "a member's checksum does not match")
    }
    return raw
  }
}
