internal import FunnelDecoding
internal import FunnelModel

/// The section `keys` of a partition: the hashes of its subjects, ascending.
struct SubjectKeys: BitwiseCopyable {
  /// The bytes of the section.
  let bytes: BorrowedBytes

  /// The keys of a section that is not read.
  static let none = SubjectKeys(bytes: .empty)

  private init(bytes: BorrowedBytes) { self.bytes = bytes }

  /// Opens the section of a partition of `count` subjects.
  ///
  /// - Throws: `inputOutput` if the section has another length.
  init(_ section: BorrowedBytes, count: Int) throws(FunnelError) {
    guard section.count == count * IndexFormat.keyBytes else { throw FunnelError.damagedIndex }
    bytes = section
  }

  /// The number of subjects.
  var count: Int { bytes.count / IndexFormat.keyBytes }

  /// Returns the key of a subject.
  @inline(__always)
  subscript(subject: Int) -> Hash128 {
    let offset = subject &* IndexFormat.keyBytes
    return Hash128(
      high: bytes.load(at: offset, as: UInt64.self),
      low: bytes.load(at: offset &+ MemoryLayout<UInt64>.size, as: UInt64.self))
  }

  /// Returns the bytes of a subject's key.
  func keyBytes(ofSubject subject: Int) -> BorrowedBytes {
    bytes[subject * IndexFormat.keyBytes..<(subject + 1) * IndexFormat.keyBytes]
  }
}
