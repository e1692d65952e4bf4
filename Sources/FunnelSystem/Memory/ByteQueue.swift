import FunnelModel

/// A queue of bytes that are appended at the end and consumed from the beginning. Not thread-safe.
final class ByteQueue {
  /// The memory of the bytes, including the consumed ones. It is changed only by ``refill(addingCapacity:_:)``.
  let buffer: PaddedBytes
  /// The number of bytes at the beginning of the buffer that were consumed since the queue was last refilled.
  private(set) var consumedCount = 0

  /// Creates an empty queue with room for `capacity` bytes.
  init(capacity: Int = 0) { buffer = PaddedBytes(capacity: capacity) }

  /// The number of bytes that were not consumed yet.
  var count: Int { buffer.count - consumedCount }
  /// Whether all bytes were consumed.
  var isEmpty: Bool { count == 0 }

  /// The bytes that were not consumed yet.
  var unread: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      // A span that depends on a local constant, not on a property, can get the lifetime of this object.
      let buffer = buffer
      return _overrideLifetime(buffer.span.extracting(droppingFirst: consumedCount), borrowing: self)
    }
  }

  /// Removes bytes from the beginning.
  func consume(_ consumed: Int) {
    precondition((0...count).contains(consumed), "only existing bytes can be consumed")
    consumedCount += consumed
  }

  /// Removes bytes from the beginning and appends them to an output, as many as fit.
  func move(into output: inout OutputSpan<UInt8>) {
    let moved = min(count, output.freeCapacity)
    output.append(copying: unread.extracting(first: moved))
    consume(moved)
  }

  /// Appends at most `capacity` bytes, which a closure writes. The consumed bytes make room. Returns the number of bytes added.
  @discardableResult
  func refill(
    addingCapacity capacity: Int, _ body: (inout OutputSpan<UInt8>) throws(FunnelError) -> Void
  ) throws(FunnelError) -> Int {
    buffer.removeFirst(consumedCount)
    consumedCount = 0
    let before = buffer.count
    try buffer.append(addingCapacity: capacity, body)
    return buffer.count - before
  }
}
