internal import FunnelModel
internal import FunnelSystem

/// The list of valid sorted runs, and the last commit they cover: the file `index/manifest`.
///
/// The encoding is: magic and version; number and hash of the commit; the number of runs; for each run its
/// first and last commit, length, number of events, checksum and name; a CRC-32 of all bytes before it.
struct IndexManifest: Equatable {
  /// An entry for one sorted run.
  struct Run: Equatable {
    var commits: ClosedRange<Int>
    /// The length of the run's file.
    var byteCount: Int
    /// The CRC-32 of the run's directory.
    var checksum: UInt32
    /// The number of events.
    var events: Int
    /// The name of the run's file.
    var name: String
  }

  /// The number of the last commit that the runs cover, 0 for none.
  var commit = 0
  /// The hash of that commit.
  var hash = ""
  /// The runs, oldest first.
  var runs: [Run] = []

  /// The name of the manifest's file.
  static let name = "manifest"
  private static let magic: UInt64 = 0x4D45_4C45_4E4E_5546
  private static let checksumBytes = MemoryLayout<UInt32>.size
  private static let bytesMin = 16  // magic, version and checksum

  /// The encoded manifest.
  var bytes: [UInt8] {
    precondition(commit >= 0, "commits are numbered from 1")
    var bytes = UniqueBytes(capacity: 1024)
    bytes.append(number: Self.magic)
    bytes.append(number: IndexFormat.version)
    bytes.append(number: UInt64(commit))
    Self.append(hash, to: &bytes)
    bytes.append(number: UInt32(runs.count))
    for run in runs {
      for number in [run.commits.lowerBound, run.commits.upperBound, run.byteCount, run.events] {
        bytes.append(number: UInt64(number))
      }
      bytes.append(number: run.checksum)
      Self.append(run.name, to: &bytes)
    }
    bytes.append(number: bytes.bytes.crc32)
    return bytes.bytes.array
  }

  /// Creates an empty manifest.
  init() {}

  /// Decodes a manifest, or returns `nil` if the bytes are invalid.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.bytesMin, bytes.count <= Limits.indexManifestBytesMax else { return nil }
    let content = bytes.dropLast(Self.checksumBytes)
    let checksum = bytes.withBorrowedElements { $0[0..<content.count].crc32 }
    var reader = Reader(bytes: bytes, end: content.count)
    var end = Reader(bytes: bytes, end: bytes.count, offset: content.count)
    guard end.number(UInt32.self) == Int(checksum), reader.number(UInt64.self) == Int(Self.magic),
      reader.number(UInt32.self) == Int(IndexFormat.version), let commit = reader.number(UInt64.self), let hash = reader.text(),
      let count = reader.number(UInt32.self)
    else { return nil }
    self.commit = commit
    self.hash = hash
    for _ in 0..<count {
      guard let first = reader.number(UInt64.self), let last = reader.number(UInt64.self), first <= last,
        let byteCount = reader.number(UInt64.self), let events = reader.number(UInt64.self),
        let checksum = reader.number(UInt32.self),
        let name = reader.text(), Self.isRunName(name)
      else { return nil }
      runs.append(
        Run(commits: first...last, byteCount: byteCount, checksum: UInt32(checksum), events: events, name: name))
    }
    guard reader.offset == content.count else { return nil }
  }

  /// Returns a unique name for a run's file.
  static func runName(_ commits: ClosedRange<Int>) -> String {
    let random = String(UInt64.random(in: .min ... .max), radix: 36)
    return "run-\(commits.lowerBound)-\(commits.upperBound)-\(random).fidx"
  }

  /// Returns whether a name is a plain file name. Any other name could refer to a path outside the folder.
  private static func isRunName(_ name: String) -> Bool {
    name.hasPrefix("run-") && !name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(0)
  }

  private static func append(_ text: String, to bytes: inout UniqueBytes) {
    bytes.append(number: UInt32(text.utf8.count))
    for byte in text.utf8 { bytes.append(byte) }
  }

  /// Decodes numbers and texts one after another. The methods return `nil` at the end of the bytes.
  private struct Reader {
    let bytes: [UInt8]
    let end: Int
    var offset = 0

    mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Int? {
      let size = MemoryLayout<Number>.size
      guard end - offset >= size else { return nil }
      defer { offset += size }
      return Int(exactly: bytes.withBorrowedElements { $0.load(at: offset, as: type) })
    }

    mutating func text() -> String? {
      guard let count = number(UInt32.self), count <= end - offset else { return nil }
      defer { offset += count }
      return String(decoding: bytes[offset..<offset + count], as: UTF8.self)
    }
  }
}
