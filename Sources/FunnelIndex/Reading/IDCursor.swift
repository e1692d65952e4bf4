internal import FunnelModel

/// A reader for the IDs of a partition, subject by subject (``IDEncoder``).
struct IDCursor {
  /// The end of each subject's IDs in ``bytes``, with their form in the low two bits.
  private let ends: UnsafePointer<UInt64>
  private let bytes: UnsafeRawBufferPointer
  private let subjects: Int

  private static let formBits: UInt64 = 2
  private static let formMask: UInt64 = 3
  private static let packedBytes = 16

  /// Opens the IDs of a partition. The caller must check the pages of a subject's bytes before they are read.
  ///
  /// - Throws: `inputOutput` if the section is too short.
  init(_ section: UnsafeRawBufferPointer, subjects: Int) throws(FunnelError) {
    guard section.count >= subjects * 8 else { throw IndexDamage.error }
    self.subjects = subjects
    // The address for an empty section is arbitrary: nothing is read from it.
    ends = section.baseAddress?.assumingMemoryBound(to: UInt64.self) ?? UnsafePointer(bitPattern: 8)!
    bytes = UnsafeRawBufferPointer(rebasing: section[(subjects * 8)...])
  }

  /// Returns the bytes that contain the end of a subject's IDs and that of the subject before it. They are not read.
  func endBytes(ofSubject subject: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: ends + max(subject - 1, 0), count: subject == 0 ? 8 : 16)
  }

  /// Returns the bytes of a subject's IDs. Requires checked ``endBytes(ofSubject:)``.
  ///
  /// - Throws: `inputOutput` if the ends are damaged.
  func idBytes(ofSubject subject: Int) throws(FunnelError) -> UnsafeRawBufferPointer {
    let start = subject == 0 ? 0 : ends[subject - 1] >> Self.formBits
    let end = ends[subject] >> Self.formBits
    guard start <= end, end <= UInt64(bytes.count) else { throw IndexDamage.error }
    return UnsafeRawBufferPointer(rebasing: bytes[Int(start)..<Int(end)])
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
    guard let form = PackedID.Form(rawValue: UInt8(ends[subject] & Self.formMask)) else { throw IndexDamage.error }
    guard form == .text else {
      guard bytes.count == count &* Self.packedBytes else { throw IndexDamage.error }
      for event in 0..<count {
        let start = event &* Self.packedBytes
        body(event, PackedID(form: form, bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<start &+ Self.packedBytes])))
      }
      return
    }
    var offset = 0
    for event in 0..<count {
      guard offset < bytes.count else { throw IndexDamage.error }
      let tag = bytes[offset]
      // The raw value of a 16-byte form, or the length of a text plus 1.
      let form = PackedID.Form(rawValue: min(tag, PackedID.Form.text.rawValue)) ?? .text
      let length = form == .text ? Int(tag) - 1 : Self.packedBytes
      guard bytes.count - offset - 1 >= length else { throw IndexDamage.error }
      body(event, PackedID(form: form, bytes: UnsafeRawBufferPointer(rebasing: bytes[offset + 1..<offset + 1 + length])))
      offset += 1 + length
    }
    guard offset == bytes.count else { throw IndexDamage.error }
  }
}
