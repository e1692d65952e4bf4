/// A growable buffer of bytes that are followed by ``paddingBytes`` readable zeros.
///
///     let text = PaddedBytes(capacity: 1 << 20)
///     try text.append(addingCapacity: 1 << 18) { (output) throws(FunnelError) in try stream.read(into: &output) }
///     text.withPaddedPointer { start, count in parse(start, count) }
///
/// Parsers such as simdjson load whole vector registers, and therefore read beyond the end of their input.
///
/// A span can't depend on a property of a class: copy the reference to the buffer to a local constant first.
///
/// Not thread-safe. It is `Sendable` because a buffer is filled by one thread and then passed to another.
///
/// Invariants of the memory, on which all accesses rely:
/// - `memory` has `capacity + paddingBytes` bytes, and is replaced only by methods that change the contents.
/// - The first `count + paddingBytes` bytes are initialized, and the last `paddingBytes` of them are zero.
package final class PaddedBytes: @unchecked Sendable {
  // Unlike an array, the buffer is never copied by accident, and unused memory is not cleared.

  /// The number of zeros after the contents: the padding that simdjson requires.
  package static let paddingBytes = 64

  /// The number of bytes that fit without a new allocation.
  package private(set) var capacity: Int
  /// The number of bytes.
  package private(set) var count = 0
  private var memory: UnsafeMutablePointer<UInt8>

  /// Creates an empty buffer with room for `capacity` bytes.
  package init(capacity: Int = 0) {
    precondition(capacity >= 0, "a capacity is not negative")
    self.capacity = capacity
    memory = .allocate(capacity: capacity + Self.paddingBytes)
    memory.initialize(repeating: 0, count: Self.paddingBytes)
  }

  /// Creates a buffer with a copy of bytes.
  package convenience init(_ bytes: Span<UInt8>) {
    self.init(capacity: bytes.count)
    append(bytes)
  }

  deinit { memory.deallocate() }

  /// Whether there are no bytes.
  package var isEmpty: Bool { count == 0 }

  /// The bytes, without the padding.
  package var span: Span<UInt8> {
    @_lifetime(borrow self)
    get { _overrideLifetime(Span(_unsafeStart: memory, count: count), borrowing: self) }
  }

  /// The bytes, without the padding, for loading integers.
  package var bytes: RawSpan {
    @_lifetime(borrow self)
    get { span.bytes }
  }

  /// Calls a closure with the address of the first byte and the number of bytes. The padding after them is readable.
  ///
  /// The address is valid until the buffer is changed or released.
  package func withPaddedPointer<Result, Failure: Error>(
    _ body: (_ start: UnsafePointer<UInt8>, _ count: Int) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(memory, count)
  }

  /// Appends a copy of bytes.
  package func append(_ bytes: Span<UInt8>) {
    append(addingCapacity: bytes.count) { $0.append(copying: bytes) }
  }

  /// Appends at most `addedCapacity` bytes, which a closure writes.
  ///
  /// - Throws: The error of the closure. The bytes that it wrote before are not appended.
  package func append<Failure: Error>(
    addingCapacity addedCapacity: Int, _ body: (inout OutputSpan<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(addedCapacity >= 0, "a capacity is not negative")
    reserveCapacity(count + addedCapacity)
    defer { clearPadding() }
    let target = UnsafeMutableBufferPointer(start: memory + count, count: addedCapacity)
    var output = OutputSpan(buffer: target, initializedCount: 0)
    try body(&output)
    count += output.finalize(for: target)
    assert(count <= capacity, "the contents fit into the memory")
  }

  /// Removes the first bytes, and moves the remaining ones to the beginning.
  package func removeFirst(_ removedCount: Int) {
    precondition((0...count).contains(removedCount), "only existing bytes can be removed")
    count -= removedCount
    memory.update(from: memory + removedCount, count: count)
    clearPadding()
  }

  /// Removes all bytes, and keeps the memory.
  package func removeAll() {
    count = 0
    clearPadding()
  }

  /// Enlarges the memory to at least `minimumCapacity` bytes. Grows geometrically.
  package func reserveCapacity(_ minimumCapacity: Int) {
    guard minimumCapacity > capacity else { return }
    let larger = max(minimumCapacity, 2 * capacity)
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: larger + Self.paddingBytes)
    copy.initialize(from: memory, count: count + Self.paddingBytes)
    memory.deallocate()
    memory = copy
    capacity = larger
  }

  /// Restores the zeros after the contents.
  private func clearPadding() { (memory + count).initialize(repeating: 0, count: Self.paddingBytes) }
}

extension OutputSpan<UInt8> {
  /// Appends a copy of bytes.
  ///
  /// - Precondition: There is room for all of them.
  @_lifetime(self: copy self)
  package mutating func append(copying bytes: Span<UInt8>) {
    precondition(bytes.count <= freeCapacity, "the output has room for the bytes")
    withUnsafeMutableBufferPointer { output, initializedCount in
      bytes.withUnsafeBufferPointer { input in
        _ = output[initializedCount...].initialize(fromContentsOf: input)
        initializedCount += input.count
      }
    }
  }
}
