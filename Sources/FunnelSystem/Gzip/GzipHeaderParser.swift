import FunnelModel

/// Parses a gzip header (RFC 1952 section 2.3) byte by byte. File names, comments and extra fields are skipped.
struct GzipHeaderParser {
  /// The result of parsing one byte.
  enum Outcome {
    case unfinished
    case complete
    /// The header violates the format. The value is the reason, as a clause.
    case invalid(String)
  }

  /// The field that the next byte belongs to. The value is the byte's index in the field.
  private enum Field {
    case fixed(Int)
    case extraLength(Int)
    case extra(Int)
    case name
    case comment
    case checksum(Int)
  }

  /// The bits of the flag byte, in the order of the fields they announce, except ``checksum``, which comes last.
  private enum Flag {
    static let checksum: UInt8 = 0x02
    static let extra: UInt8 = 0x04
    static let name: UInt8 = 0x08
    static let comment: UInt8 = 0x10
    static let reserved: UInt8 = 0xE0
    /// The value for the fixed fields, which no flag announces.
    static let none: UInt8 = 0
  }

  private static let deflateMethod: UInt8 = 8
  private static let methodIndex = 2
  private static let flagIndex = 3
  /// The number of fixed bytes: magic number, method, flags, modification time, extra flags, operating system.
  private static let fixedBytes = 10

  private var field = Field.fixed(0)
  private var flags: UInt8 = 0
  private var byteCount = 0
  /// The length of the extra fields, as far as it was read.
  private var extraBytes = 0
  /// The CRC-32 of the header so far, whose lower 16 bits are stored in the header.
  private var checksum: UInt32 = 0
  private var storedChecksum: UInt32 = 0
  private let isFirst: Bool

  /// Creates a parser of one header.
  ///
  /// - Parameter isFirst: Whether the header is at the beginning of the file, which affects the message about wrong
  ///   magic bytes.
  init(isFirst: Bool = true) {
    self.isFirst = isFirst
  }

  /// Parses the next byte of the header.
  mutating func feed(_ byte: UInt8) -> Outcome {
    byteCount += 1
    guard byteCount <= Limits.gzipHeaderBytesMax else {
      return .invalid("a gzip header has more than \(Limits.gzipHeaderBytesMax) bytes")
    }
    if case .checksum(let index) = field { return feedChecksum(byte, index) }
    checksum = Checksum.crc32(of: byte, after: checksum)
    switch field {
    case .fixed(let index):
      if let reason = rejection(of: byte, at: index) { return .invalid(reason) }
      if index == Self.flagIndex { flags = byte }
      if index + 1 < Self.fixedBytes { field = .fixed(index + 1) } else { return begin(after: Flag.none) }
    case .extraLength(let index):
      extraBytes |= Int(byte) << (8 * index)
      if index == 0 {
        field = .extraLength(1)
      } else if extraBytes > 0 {
        field = .extra(0)
      } else {
        return begin(after: Flag.extra)
      }
    case .extra(let index):
      if index + 1 < extraBytes { field = .extra(index + 1) } else { return begin(after: Flag.extra) }
    case .name: if byte == 0 { return begin(after: Flag.name) }
    case .comment: if byte == 0 { return begin(after: Flag.comment) }
    case .checksum: preconditionFailure("checksum bytes are parsed by feedChecksum")
    }
    return .unfinished
  }

  /// Returns the reason why a fixed byte is invalid, or `nil` if it is valid.
  private func rejection(of byte: UInt8, at index: Int) -> String? {
    switch index {
    case Inflater.magic.indices where byte != Inflater.magic[index]:
      isFirst ? "the file is not a gzip file" : "the data after the last gzip member is not a gzip member"
    case Self.methodIndex where byte != Self.deflateMethod: "a gzip member has an unknown compression method"
    case Self.flagIndex where byte & Flag.reserved != 0: "a gzip header has unknown flags"
    default: nil
    }
  }

  /// Advances to the next field that the flags announce. `flag` is the flag of the field that ended.
  private mutating func begin(after flag: UInt8) -> Outcome {
    if flag < Flag.extra, flags & Flag.extra != 0 {
      field = .extraLength(0)
    } else if flag < Flag.name, flags & Flag.name != 0 {
      field = .name
    } else if flag < Flag.comment, flags & Flag.comment != 0 {
      field = .comment
    } else if flags & Flag.checksum != 0 {
      field = .checksum(0)
    } else {
      return .complete
    }
    return .unfinished
  }

  /// Parses a byte of the header's checksum, which is little-endian.
  private mutating func feedChecksum(_ byte: UInt8, _ index: Int) -> Outcome {
    storedChecksum |= UInt32(byte) << (8 * index)
    if index == 0 {
      field = .checksum(1)
      return .unfinished
    }
    return storedChecksum == checksum & 0xFFFF ? .complete : .invalid("a gzip header's checksum does not match")
  }
}
