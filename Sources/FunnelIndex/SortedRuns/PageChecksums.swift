internal import FunnelSystem

/// The CRC-32 of each page of a sequence of bytes that is appended in pieces.
struct PageChecksums: ~Copyable {
  private(set) var checksums = UniqueArray<UInt32>()
  /// The bytes of the current page.
  private var remainder = UniqueBytes(capacity: IndexFormat.pageBytes)

  init() {}

  /// Appends bytes.
  mutating func append(_ bytes: BorrowedBytes) {
    var consumed = 0
    if remainder.count > 0 {
      consumed = min(IndexFormat.pageBytes - remainder.count, bytes.count)
      remainder.append(bytes[0..<consumed])
      if remainder.count == IndexFormat.pageBytes { finish() }
    }
    while bytes.count - consumed >= IndexFormat.pageBytes {
      checksums.append(bytes[consumed..<consumed + IndexFormat.pageBytes].crc32)
      consumed += IndexFormat.pageBytes
    }
    remainder.append(bytes.dropFirst(consumed))
  }

  /// Finishes the current page, if it has any bytes.
  mutating func finish() {
    guard remainder.count > 0 else { return }
    checksums.append(remainder.bytes.crc32)
    remainder.removeAll()
  }
}

/// The pages of a run, each of which is checked when it is first used. Thread-safe.
final class PageChecks: Sendable {
  /// The bytes of all pages.
  let bytes: BorrowedBytes
  /// The checksums, one for each page; `nil` if no page needs a check.
  private let checksums: BorrowedBytes?
  /// The pages whose checksums have matched. Two threads may check the same page at once, with the same result.
  private let checked: AtomicFlags

  /// Creates checks of pages.
  ///
  /// - Parameter checksums: The ``PageChecksums`` of the bytes, or `nil` for pages that need no check.
  init(_ bytes: BorrowedBytes, checksums: BorrowedBytes?) {
    let pageCount = Self.pageCount(ofBytes: bytes.count)
    if let checksums {
      precondition(checksums.count == pageCount * MemoryLayout<UInt32>.size, "each page has a checksum")
    }
    self.bytes = bytes
    self.checksums = checksums
    checked = AtomicFlags(count: pageCount)
  }

  /// Returns the number of pages that `count` bytes take.
  static func pageCount(ofBytes count: Int) -> Int { (count + IndexFormat.pageBytes - 1) / IndexFormat.pageBytes }

  /// Returns whether the pages of a range, which must be within the bytes, match their checksums.
  func check(_ range: Range<Int>) -> Bool {
    guard let checksums, !range.isEmpty else { return true }
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "a range is within the pages")
    for page in range.lowerBound / IndexFormat.pageBytes...(range.upperBound - 1) / IndexFormat.pageBytes {
      if checked.isSet(page) { continue }
      let first = page * IndexFormat.pageBytes
      let content = bytes[first..<min(first + IndexFormat.pageBytes, bytes.count)]
      guard content.crc32 == checksums.load(at: page * MemoryLayout<UInt32>.size, as: UInt32.self) else { return false }
      checked.set(page)
    }
    return true
  }
}
