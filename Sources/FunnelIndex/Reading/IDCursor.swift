internal import FunnelModel

/// Reads the ids of a subject's events (``IDEncoder``).
struct IDCursor {
  private let ends: UnsafePointer<UInt64>
  private let bytes: UnsafeRawBufferPointer
  private let subjects: Int

  /// Opens the ids of a partition. The caller must have the bytes checked before they are used.
  init(_ section: UnsafeRawBufferPointer, subjects: Int) throws(FunnelError) {
    guard section.count >= subjects * 8 else { throw IndexDamage.error }
    self.subjects = subjects
    ends = section.baseAddress?.assumingMemoryBound(to: UInt64.self) ?? UnsafePointer(bitPattern: 8)!
    bytes = UnsafeRawBufferPointer(rebasing: section[(subjects * 8)...])
  }

  /// Returns the bytes that hold the ends of a subject's ids and of those of the subject before it.
  func endBytes(ofSubject subject: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: ends + max(subject - 1, 0), count: subject == 0 ? 8 : 16)
  }

  /// Returns the bytes of a subject's ids.
  func idBytes(ofSubject subject: Int) throws(FunnelError) -> UnsafeRawBufferPointer {
    let start = subject == 0 ? 0 : ends[subject - 1] >> 2
    let end = ends[subject] >> 2
    guard start <= end, end <= UInt64(bytes.count) else { throw IndexDamage.error }
    return UnsafeRawBufferPointer(rebasing: bytes[Int(start)..<Int(end)])
  }

  /// Passes the ids of a subject's events to `body`, in order.
  @inline(__always)
  func forEach(
    ofSubject subject: Int, count: Int, _ body: (_ event: Int, PackedID) -> Void
  ) throws(FunnelError) {
    let bytes = try idBytes(ofSubject: subject)
    guard let form = PackedID.Form(rawValue: UInt8(ends[subject] & 3)) else { throw IndexDamage.error }
    guard form == .text else {
      guard bytes.count == count &* 16 else { throw IndexDamage.error }
      for event in 0..<count {
        body(event, PackedID(form: form, bytes: UnsafeRawBufferPointer(rebasing: bytes[event &* 16..<event &* 16 &+ 16])))
      }
      return
    }
    var place = 0
    for event in 0..<count {
      guard place < bytes.count else { throw IndexDamage.error }
      let tag = bytes[place]
      let form = PackedID.Form(rawValue: min(tag, 2)) ?? .text
      let length = tag < 2 ? 16 : Int(tag) - 1
      guard bytes.count - place - 1 >= length else { throw IndexDamage.error }
      body(event, PackedID(form: form, bytes: UnsafeRawBufferPointer(rebasing: bytes[place + 1..<place + 1 + length])))
      place += 1 + length
    }
    guard place == bytes.count else { throw IndexDamage.error }
  }
}
