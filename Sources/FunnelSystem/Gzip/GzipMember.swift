public import FunnelModel

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
public enum GzipMember {
  /// The length of the header, in bytes.
  public static let headerBytes = 48
  /// The length of the CRC-32 and the length after the deflate stream, in bytes.
  static let trailerBytes = 8
  /// The first 20 bytes of every header of version 1.
  static let fixedHeader: [UInt8] = [
    0x1F, 0x8B, 8, 4, 0, 0, 0, 0, 0, 0xFF, 36, 0, UInt8(ascii: "F"), UInt8(ascii: "N"), 32, 0, 1, 0, 0, 0,
  ]

  /// The contents of a member's header.
  public struct Header: Hashable, Sendable {
    /// The length of the whole member in the file, in bytes.
    public var memberBytes: Int
    /// The length of the inflated data, in bytes.
    public var rawBytes: Int
    /// The number of lines.
    public var lines: Int
    /// The smallest and the largest timestamp.
    public var timestamps: ClosedRange<Timestamp>
  }

  /// The problem with a member, as the end of a sentence: "the checksum does not match".
  public struct Damage: Error, Hashable, Sendable {
    public var reason: String
  }

  /// Compresses lines into a complete member.
  ///
  /// - Parameters:
  ///   - lines: The number of lines in `raw`.
  ///   - timestamps: The smallest and the largest timestamp of the lines.
  /// - Precondition: `raw` has at most ``Limits/memberRawBytesMax`` bytes.
  public static func encode(
    _ raw: UnsafeRawBufferPointer, lines: Int, timestamps: ClosedRange<Timestamp>, with deflater: Deflater
  ) -> [UInt8] {
    precondition(raw.count <= Limits.memberRawBytesMax, "a member holds at most \(Limits.memberRawBytesMax) bytes")
    var member = fixedHeader
    member.appendLittleEndian(UInt32(0))
    member.appendLittleEndian(UInt32(raw.count))
    member.appendLittleEndian(UInt32(lines))
    member.appendLittleEndian(timestamps.lowerBound.milliseconds)
    member.appendLittleEndian(timestamps.upperBound.milliseconds)
    assert(member.count == headerBytes)
    deflater.appendStreamAndTrailer(of: raw, to: &member)
    let length = UInt32(member.count)
    member.withUnsafeMutableBytes { $0.storeBytes(of: length.littleEndian, toByteOffset: 20, as: UInt32.self) }
    return member
  }
}

extension [UInt8] {
  /// Appends the little-endian bytes of an integer.
  mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
