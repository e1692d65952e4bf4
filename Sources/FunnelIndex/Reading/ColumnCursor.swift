internal import FunnelModel

/// The values of a subject's events in a column with one byte for each value.
struct EventBytes: BitwiseCopyable {
  fileprivate let base: UnsafePointer<UInt8>
  /// 1, or 0 if all events have the same value.
  fileprivate let stride: Int

  @inline(__always)
  subscript(event: Int) -> UInt8 { base[event &* stride] }
}

/// Reads a column (``ColumnEncoder``) subject by subject.
struct ColumnCursor {
  /// Whether all values are 0, so that there is nothing to read.
  let isEmpty: Bool
  private let width: Int
  private let bits: UnsafePointer<UInt64>
  private let values: UnsafeRawPointer
  private let valueCount: Int
  private var subject = 0
  private var place = 0

  init(_ section: UnsafeRawBufferPointer, subjects: Int) throws(FunnelError) {
    let bitWords = (subjects + 63) / 64
    guard let base = section.baseAddress, !section.isEmpty else {
      isEmpty = true
      width = 1
      valueCount = 0
      bits = UnsafePointer(bitPattern: 8)!
      values = UnsafeRawPointer(bits)
      return
    }
    guard section.count >= 8 + bitWords * 8 else { throw IndexDamage.error }
    isEmpty = false
    width = Int(truncatingIfNeeded: base.loadUnaligned(as: UInt64.self))
    guard [1, 2, 4, 8].contains(width) else { throw IndexDamage.error }
    bits = (base + 8).assumingMemoryBound(to: UInt64.self)
    values = base + 8 + bitWords * 8
    valueCount = (section.count - 8 - bitWords * 8) / width
  }

  /// Skips a subject that has `events` events.
  @inline(__always)
  mutating func skip(_ events: Int) {
    guard !isEmpty else { return }
    place &+= differs ? events : 1
    subject &+= 1
  }

  /// Passes the values of the next subject's events to `store`.
  @inline(__always)
  mutating func read(_ events: Int, _ store: (_ event: Int, _ value: UInt64) -> Void) throws(FunnelError) {
    guard !isEmpty else {
      for event in 0..<events { store(event, 0) }
      return
    }
    let count = differs ? events : 1
    guard place &+ count <= valueCount else { throw IndexDamage.error }
    if count == 1 {
      let value = value(place)
      for event in 0..<events { store(event, value) }
    } else {
      for event in 0..<events { store(event, value(place &+ event)) }
    }
    place &+= count
    subject &+= 1
  }

  /// Returns the values of the next subject's events if each takes one byte, or nil, without advancing.
  @inline(__always)
  mutating func readBytes(_ events: Int) throws(FunnelError) -> EventBytes? {
    guard !isEmpty, width == 1 else { return nil }
    let differs = differs
    guard place &+ (differs ? events : 1) <= valueCount else { throw IndexDamage.error }
    let bytes = EventBytes(base: (values + place).assumingMemoryBound(to: UInt8.self), stride: differs ? 1 : 0)
    skip(events)
    return bytes
  }

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
