internal import FunnelModel

/// The values of one subject's events in a column of one-byte values.
struct EventBytes: BitwiseCopyable {
  fileprivate let base: UnsafePointer<UInt8>
  /// The distance from one event's value to the next: 1, or 0 if all events share one value.
  fileprivate let stride: Int

  /// Returns the value of an event, by its index among those of the subject.
  @inline(__always)
  subscript(event: Int) -> UInt8 { base[event &* stride] }
}

/// A cursor over the subjects of a column (``ColumnEncoder``).
///
/// Each subject must be read or skipped, in order.
struct ColumnCursor {
  /// Whether the section is empty: all values are 0.
  let isEmpty: Bool
  /// The number of bytes of a value: 1, 2, 4 or 8.
  private let width: Int
  /// A bit for each subject, set if the values of its events differ.
  private let bits: UnsafePointer<UInt64>
  private let values: UnsafeRawPointer
  private let valueCount: Int
  /// The index of the next subject.
  private var subject = 0
  /// The index of the next subject's first value.
  private var valueIndex = 0

  private static let headerBytes = 8

  /// Opens the column of a partition.
  ///
  /// - Throws: `inputOutput` if the section is damaged.
  init(_ section: UnsafeRawBufferPointer, subjects: Int) throws(FunnelError) {
    let bitBytes = (subjects + UInt64.bitWidth - 1) / UInt64.bitWidth * MemoryLayout<UInt64>.size
    guard let base = section.baseAddress, !section.isEmpty else {
      isEmpty = true
      width = 1
      valueCount = 0
      // An arbitrary aligned address: nothing is read from it.
      bits = UnsafePointer(bitPattern: 8)!
      values = UnsafeRawPointer(bits)
      return
    }
    guard section.count >= Self.headerBytes + bitBytes else { throw IndexDamage.error }
    isEmpty = false
    width = Int(truncatingIfNeeded: base.loadUnaligned(as: UInt64.self))
    guard [1, 2, 4, 8].contains(width) else { throw IndexDamage.error }
    bits = (base + Self.headerBytes).assumingMemoryBound(to: UInt64.self)
    values = base + Self.headerBytes + bitBytes
    valueCount = (section.count - Self.headerBytes - bitBytes) / width
  }

  /// Skips the next subject, which has `events` events.
  @inline(__always)
  mutating func skip(_ events: Int) {
    guard !isEmpty else { return }
    valueIndex &+= differs ? events : 1
    subject &+= 1
  }

  /// Passes the values of the next subject's events to `store`.
  ///
  /// - Throws: `inputOutput` if values are missing.
  @inline(__always)
  mutating func read(_ events: Int, _ store: (_ event: Int, _ value: UInt64) -> Void) throws(FunnelError) {
    guard !isEmpty else {
      for event in 0..<events { store(event, 0) }
      return
    }
    let count = differs ? events : 1
    guard valueIndex &+ count <= valueCount else { throw IndexDamage.error }
    if count == 1 {
      let value = value(valueIndex)
      for event in 0..<events { store(event, value) }
    } else {
      for event in 0..<events { store(event, value(valueIndex &+ event)) }
    }
    valueIndex &+= count
    subject &+= 1
  }

  /// Returns the values of the next subject's events if each takes one byte. Returns `nil`, and does not
  /// advance, if the column is empty or its values are wider.
  @inline(__always)
  mutating func readBytes(_ events: Int) throws(FunnelError) -> EventBytes? {
    guard !isEmpty, width == 1 else { return nil }
    let differs = differs
    guard valueIndex &+ (differs ? events : 1) <= valueCount else { throw IndexDamage.error }
    let bytes = EventBytes(base: (values + valueIndex).assumingMemoryBound(to: UInt8.self), stride: differs ? 1 : 0)
    skip(events)
    return bytes
  }

  /// Whether the values of the next subject's events differ.
  @inline(__always)
  private var differs: Bool {
    bits[subject >> 6] >> UInt64(truncatingIfNeeded: subject & 63) & 1 != 0
  }

  @inline(__always)
  private func value(_ index: Int) -> UInt64 {
    switch width {
    case 1: UInt64(values.loadUnaligned(fromByteOffset: index, as: UInt8.self))
    case 2: UInt64(values.loadUnaligned(fromByteOffset: index &* 2, as: UInt16.self))
    case 4: UInt64(values.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self))
    default: values.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self)
    }
  }
}
