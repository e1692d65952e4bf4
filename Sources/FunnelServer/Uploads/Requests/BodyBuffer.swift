import FunnelSystem

/// A growing body, whose memory is reserved before it is allocated.
struct BodyBuffer {
  private(set) var bytes = PaddedBytes()

  /// The capacity of the first allocation, unless the body is known to be shorter. The events of one batch fit.
  private static let firstCapacity = 16 * 1_024

  /// Makes room for further bytes.
  ///
  /// - Parameter bytesMax: The largest size that the body can get, beyond which no memory is reserved.
  /// - Throws: `overload`
  mutating func makeRoom(for added: Int, bytesMax: Int, _ reservation: MemoryReservation) throws(UploadRefusal) {
    let needed = bytes.count + added
    assert(needed <= bytesMax, "the limit is checked before bytes are appended")
    guard needed > bytes.capacity else { return }
    let capacity = max(needed, min(bytesMax, max(Self.firstCapacity, 2 * bytes.capacity)))
    try reservation.add(capacity - bytes.capacity)
    // `reserveCapacity` may allocate more than was reserved.
    let larger = PaddedBytes(capacity: capacity)
    larger.append(bytes.span)
    bytes = larger
  }

  /// Appends bytes that a closure writes, at most up to the capacity.
  func appendToCapacity<Result>(_ write: (inout OutputSpan<UInt8>) -> Result) -> Result {
    var result: Result?
    bytes.append(addingCapacity: bytes.capacity - bytes.count) { output in result = write(&output) }
    guard let result else { preconditionFailure("the closure was called") }
    return result
  }
}
