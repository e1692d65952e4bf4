internal import FunnelModel

/// An encoder for the IDs of a partition (``PackedID``).
///
/// The encoding is: for each subject the end of its IDs, with their form in the low two bits, in 8 bytes; then
/// the IDs. If all IDs of a subject have the same 16-byte form, they follow each other directly. Otherwise the
/// subject's form is that of a text, and each ID is preceded by one byte: the raw value of its form, or for a
/// text its length plus 1.
struct IDEncoder: ~Copyable {
  /// The end of each finished subject's IDs, with their form in the low two bits.
  private var ends = UniqueArray<UInt64>()
  /// The encoded IDs of finished subjects.
  private var bytes = UniqueBytes(capacity: 1024)
  /// The IDs of the current subject.
  private var current = UniqueArray<PackedID>()

  fileprivate static let formBits: UInt64 = 2

  init() {}

  /// Reserves memory for `events` IDs of a 16-byte form.
  mutating func reserve(_ events: Int) { bytes.reserve(events * PackedID.hexadecimalBytes) }

  /// Appends an ID of the current subject. Its bytes must stay valid until ``endSubject()``.
  @inline(__always)
  mutating func append(_ id: PackedID) { current.append(id) }

  /// Finishes the current subject, which must have at least one ID, and starts the next one.
  mutating func endSubject() {
    precondition(current.count > 0, "a subject has at least one ID")
    let first = current[0].form
    var areAlike = first != .text
    for index in 1..<current.count where current[index].form != first { areAlike = false }
    for index in 0..<current.count {
      let id = current[index]
      if !areAlike { bytes.append(id.form == .text ? UInt8(truncatingIfNeeded: id.bytes.count &+ 1) : id.form.rawValue) }
      bytes.append(id.bytes)
    }
    current.removeAll()
    ends.append(UInt64(bytes.count) << Self.formBits | UInt64(areAlike ? first.rawValue : PackedID.Form.text.rawValue))
  }

  /// Appends the encoded IDs.
  func write(to target: inout UniqueBytes) {
    assert(current.count == 0, "the last subject is finished")
    target.append(numbers: ends.elements)
    target.append(bytes.bytes)
  }
}

/// A reader for the IDs of a partition, subject by subject (``IDEncoder``).
struct IDCursor {
  /// The bytes of ``ends``.
  private let endBytes: BorrowedBytes
  /// The end of each subject's IDs in ``bytes``, with their form in the low two bits.
  private let ends: BorrowedColumn<UInt64>
  private let bytes: BorrowedBytes

  private static let formMask: UInt64 = 1 << IDEncoder.formBits - 1
  private static let wordBytes = MemoryLayout<UInt64>.size

  /// Opens the IDs of a partition. The caller must check the pages of a subject's bytes before they are read.
  ///
  /// - Throws: `inputOutput` if the section is too short.
  init(_ section: BorrowedBytes, subjects: Int) throws(FunnelError) {
    guard section.count >= subjects * Self.wordBytes else { throw FunnelError.damagedIndex }
    endBytes = section[0..<subjects * Self.wordBytes]
    ends = section.column(of: UInt64.self, at: 0, count: subjects)
    bytes = section.dropFirst(subjects * Self.wordBytes)
  }

  /// Returns the bytes that contain the end of a subject's IDs and that of the subject before it. They are not read.
  func endBytes(ofSubject subject: Int) -> BorrowedBytes {
    endBytes[max(subject - 1, 0) * Self.wordBytes..<(subject + 1) * Self.wordBytes]
  }

  /// Returns the bytes of a subject's IDs. Requires checked ``endBytes(ofSubject:)``.
  ///
  /// - Throws: `inputOutput` if the ends are damaged.
  func idBytes(ofSubject subject: Int) throws(FunnelError) -> BorrowedBytes {
    let start = subject == 0 ? 0 : ends[subject - 1] >> IDEncoder.formBits
    let end = ends[subject] >> IDEncoder.formBits
    guard start <= end, end <= UInt64(bytes.count) else { throw FunnelError.damagedIndex }
    return bytes[Int(start)..<Int(end)]
  }

  /// Passes the IDs of a subject's events to `body`, in order. Requires checked ``endBytes(ofSubject:)`` and
  /// ``idBytes(ofSubject:)``.
  ///
  /// - Parameter count: The number of the subject's events.
  /// - Throws: `inputOutput` if the IDs are damaged.
  @inline(__always)
  func forEach(
    ofSubject subject: Int, count: Int, _ body: (_ event: Int, PackedID) -> Void
  ) throws(FunnelError) {
    let bytes = try idBytes(ofSubject: subject)
    guard let form = PackedID.Form(rawValue: UInt8(ends[subject] & Self.formMask)) else { throw FunnelError.damagedIndex }
    guard form == .text else {
      guard bytes.count == count &* PackedID.hexadecimalBytes else { throw FunnelError.damagedIndex }
      for event in 0..<count {
        let start = event &* PackedID.hexadecimalBytes
        body(event, PackedID(form: form, bytes: bytes[start..<start &+ PackedID.hexadecimalBytes]))
      }
      return
    }
    var offset = 0
    for event in 0..<count {
      guard offset < bytes.count else { throw FunnelError.damagedIndex }
      let tag = bytes[offset]
      // The raw value of a 16-byte form, or the length of a text plus 1.
      let form = PackedID.Form(rawValue: min(tag, PackedID.Form.text.rawValue)) ?? .text
      let length = form == .text ? Int(tag) - 1 : PackedID.hexadecimalBytes
      guard bytes.count - offset - 1 >= length else { throw FunnelError.damagedIndex }
      body(event, PackedID(form: form, bytes: bytes[offset + 1..<offset + 1 + length]))
      offset += 1 + length
    }
    guard offset == bytes.count else { throw FunnelError.damagedIndex }
  }
}
