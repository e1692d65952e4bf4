import CZlib
import FunnelModel

/// Parses a gzip header (RFC 1952 section 2.3) byte by byte; names, comments and extra fields are skipped.
struct GzipHeaderParser {
  /// The parser's state after a byte.
  enum Outcome {
    case unfinished, complete
    case invalid(String)
  }

  private enum Field {
    case fixed(Int)
    case extraLength(Int)
    case extra(Int)
    case name, comment
    case checksum(Int)
  }

  private var field = Field.fixed(0)
  private var flags: UInt8 = 0
  private var byteCount = 0
  private var extraBytes = 0
  private var checksum: UInt = 0
  private var storedChecksum: UInt = 0
  private let isFirst: Bool

  /// Creates a parser; `isFirst` is whether the file begins here, which affects the message about wrong magic bytes.
  init(isFirst: Bool = true) {
    self.isFirst = isFirst
  }

  mutating func feed(_ byte: UInt8) -> Outcome {
    byteCount += 1
    guard byteCount <= Limits.gzipHeaderBytesMax else {
      return .invalid("a gzip header has more than \(Limits.gzipHeaderBytesMax) bytes")
    }
    if case .checksum(let index) = field { return feedChecksum(byte, index) }
    checksum = withUnsafePointer(to: byte) { crc32_z(checksum, $0, 1) }
    switch field {
    case .fixed(let index):
      if let reason = complaint(about: byte, at: index) { return .invalid(reason) }
      if index == 3 { flags = byte }
      if index < 9 { field = .fixed(index + 1) } else { return begin(after: 0) }
    case .extraLength(let index):
      extraBytes |= Int(byte) << (8 * index)
      if index == 0 { field = .extraLength(1) } else if extraBytes > 0 { field = .extra(0) } else { return begin(after: 0x04) }
    case .extra(let index):
      if index + 1 < extraBytes { field = .extra(index + 1) } else { return begin(after: 0x04) }
    case .name: if byte == 0 { return begin(after: 0x08) }
    case .comment: if byte == 0 { return begin(after: 0x10) }
    case .checksum: break
    }
    return .unfinished
  }

  private func complaint(about byte: UInt8, at index: Int) -> String? {
    switch index {
    case 0 where byte != 0x1F, 1 where byte != 0x8B:
      isFirst ? "the file is not a gzip file" : "the data after the last gzip member is not a gzip member"
    case 2 where byte != 8: "a gzip member has an unknown compression method"
    case 3 where byte & 0xE0 != 0: "a gzip header has unknown flags"
    default: nil
    }
  }

  /// Advances to the next field that the flags announce; `flag` is the flag of the field that ended.
  private mutating func begin(after flag: UInt8) -> Outcome {
    if flag < 0x04, flags & 0x04 != 0 {
      field = .extraLength(0)
    } else if flag < 0x08, flags & 0x08 != 0 {
      field = .name
    } else if flag < 0x10, flags & 0x10 != 0 {
      field = .comment
    } else if flags & 0x02 != 0 {
      field = .checksum(0)
    } else {
      return .complete
    }
    return .unfinished
  }

  private mutating func feedChecksum(_ byte: UInt8, _ index: Int) -> Outcome {
    storedChecksum |= UInt(byte) << (8 * UInt(index))
    if index == 0 {
      field = .checksum(1)
      return .unfinished
    }
    return storedChecksum == checksum & 0xFFFF ? .complete : .invalid("a gzip header's checksum does not match")
  }
}
