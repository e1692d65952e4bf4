/// A growing array of rows that can't be copied.
///
/// An `Array` checks its uniqueness for each append, which takes longer than writing a row.
struct EventRowBuffer: ~Copyable {
  private var base = UnsafeMutablePointer<EventRow>.allocate(capacity: capacityMin)
  private var capacity = capacityMin
  private var count = 0

  private static let capacityMin = 4096

  deinit { base.deallocate() }

  /// The rows, valid until the buffer changes.
  var rows: UnsafeBufferPointer<EventRow> { UnsafeBufferPointer(start: base, count: count) }

  /// Appends a row.
  @inline(__always)
  mutating func append(_ row: EventRow) {
    if count == capacity { grow() }
    (base + count).initialize(to: row)
    count &+= 1
  }

  /// Removes all rows and keeps the capacity.
  mutating func removeAll() { count = 0 }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<EventRow>.allocate(capacity: 2 * capacity)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
    capacity *= 2
  }
}
