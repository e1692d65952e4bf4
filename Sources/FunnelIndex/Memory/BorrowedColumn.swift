internal import CMemory

// Invariants of this file, on which the module relies:
//
// - The owner of the elements outlives every view of them. Readers hold their `SortedRun`, batches their blocks.
// - The elements are not written while they are borrowed, and only one thread accesses the elements of a
//   `MutableColumn`.
// - A view is a part of the view from which it was made. Slicing checks its range in all builds, an access to one
//   element in debug builds only. Ranges that come from a file are validated once, when a section is opened.

/// A view of adjacent elements that another object owns: a mapped file, a buffer in memory or the line being decoded.
@usableFromInline
package struct BorrowedColumn<Element: BitwiseCopyable>: BitwiseCopyable, @unchecked Sendable {
  /// The address of the first element; arbitrary if there are none.
  @usableFromInline let base: UnsafePointer<Element>
  /// The number of elements.
  @usableFromInline package let count: Int

  /// Creates a view of a buffer, which must outlive it.
  @inlinable @inline(__always)
  package init(_ buffer: UnsafeBufferPointer<Element>) {
    self.init(base: buffer.baseAddress ?? Self.noElements, count: buffer.count)
  }

  @inlinable @inline(__always)
  init(base: UnsafePointer<Element>, count: Int) {
    assert(count >= 0, "a count is not negative")
    self.base = base
    self.count = count
  }

  /// A column without elements.
  @inlinable
  package static var empty: BorrowedColumn { BorrowedColumn(base: noElements, count: 0) }

  @inlinable
  static var noElements: UnsafePointer<Element> { .init(bitPattern: MemoryLayout<Element>.alignment)! }

  /// Whether there are no elements.
  @inlinable @inline(__always)
  package var isEmpty: Bool { count == 0 }

  /// Returns an element.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Element {
    assert(index >= 0 && index < count, "an index is less than the number of elements")
    return base[index]
  }

  /// Returns a part of the column.
  @inlinable @inline(__always)
  package subscript(range: Range<Int>) -> BorrowedColumn {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a part of a column is within it")
    return BorrowedColumn(base: base + range.lowerBound, count: range.upperBound &- range.lowerBound)
  }

  /// Returns the elements from an index on.
  @inlinable @inline(__always)
  package func dropFirst(_ start: Int) -> BorrowedColumn { self[start..<count] }

  /// Prefetches the cache line of an element, which need not exist.
  @inline(__always)
  func prefetch(_ index: Int) { funnel_prefetch(base + index) }

  /// The elements as a buffer, for the standard library and for modules below this one.
  @inlinable @inline(__always)
  package var buffer: UnsafeBufferPointer<Element> { .init(start: base, count: count) }

  /// The elements in memory order.
  @inlinable @inline(__always)
  package var bytes: BorrowedBytes {
    BorrowedBytes(UnsafeRawBufferPointer(start: base, count: count &* MemoryLayout<Element>.stride))
  }

  /// Calls a closure with the elements as a span.
  package func withSpan<Result, Failure: Error>(
    _ body: (Span<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(Span(_unsafeElements: buffer))
  }

  /// A copy of the elements.
  package var array: [Element] { Array(buffer) }
}

extension Array where Element: BitwiseCopyable {
  /// Calls a closure with a view of the elements, which is valid only during the call.
  @inline(__always)
  package func withBorrowedElements<Result, Failure: Error>(
    _ body: (BorrowedColumn<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { (buffer) throws(Failure) in try body(BorrowedColumn(buffer)) }
  }
}

/// A view of adjacent bytes that another object owns (``BorrowedColumn``).
@usableFromInline
package typealias BorrowedBytes = BorrowedColumn<UInt8>

extension BorrowedBytes {
  /// Creates a view of a buffer, which must outlive it.
  @inlinable @inline(__always)
  package init(_ raw: UnsafeRawBufferPointer) { self.init(raw.assumingMemoryBound(to: UInt8.self)) }

  /// The bytes for modules below this one, which take buffers.
  @inline(__always)
  var raw: UnsafeRawBufferPointer { .init(buffer) }

  /// Returns the number at an offset, which need not be aligned.
  @inlinable @inline(__always)
  package func load<Number: BitwiseCopyable>(at offset: Int, as type: Number.Type) -> Number {
    assert(offset >= 0 && offset <= count - MemoryLayout<Number>.size, "a number is within its bytes")
    return UnsafeRawPointer(base).loadUnaligned(fromByteOffset: offset, as: type)
  }

  /// Returns a column of `count` aligned numbers.
  package func column<Number: BitwiseCopyable>(
    of type: Number.Type, at offset: Int, count: Int
  ) -> BorrowedColumn<Number> {
    guard count > 0 else { return .empty }
    let bytes = self[offset..<offset + count * MemoryLayout<Number>.stride]
    precondition(UInt(bitPattern: bytes.base) % UInt(MemoryLayout<Number>.alignment) == 0, "a column is aligned")
    return BorrowedColumn<Number>(bytes.raw.assumingMemoryBound(to: type))
  }

  /// Returns the offset of other bytes, or `nil` if they are not a part of these.
  func offset(of other: BorrowedBytes) -> Int? {
    guard other.base >= base, other.base + other.count <= base + count else { return nil }
    return other.base - base
  }

  /// The location of the bytes in memory.
  var location: MemoryLocation { MemoryLocation(address: UInt(bitPattern: base), byteCount: count) }
}

/// A view of adjacent elements that another object owns, for reading and writing.
@usableFromInline
package struct MutableColumn<Element: BitwiseCopyable>: BitwiseCopyable, @unchecked Sendable {
  @usableFromInline let base: UnsafeMutablePointer<Element>
  /// The number of elements.
  @usableFromInline package let count: Int

  @inlinable @inline(__always)
  init(base: UnsafeMutablePointer<Element>, count: Int) {
    assert(count >= 0, "a count is not negative")
    self.base = base
    self.count = count
  }

  /// Accesses an element.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Element {
    get {
      assert(index >= 0 && index < count, "an index is less than the number of elements")
      return base[index]
    }
    nonmutating _modify {
      assert(index >= 0 && index < count, "an index is less than the number of elements")
      yield &base[index]
    }
  }

  /// Returns a part of the column.
  @inlinable @inline(__always)
  package subscript(range: Range<Int>) -> MutableColumn {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a part of a column is within it")
    return MutableColumn(base: base + range.lowerBound, count: range.upperBound &- range.lowerBound)
  }

  /// Returns the elements from an index on.
  @inlinable @inline(__always)
  package func dropFirst(_ start: Int) -> MutableColumn { self[start..<count] }

  /// Replaces all elements by those that a closure writes.
  package func replaceAll<Failure: Error>(
    _ write: (inout OutputSpan<Element>) throws(Failure) -> Void
  ) throws(Failure) {
    let target = UnsafeMutableBufferPointer(start: base, count: count)
    var output = OutputSpan(buffer: target, initializedCount: 0)
    try write(&output)
    let written = output.finalize(for: target)
    precondition(written == count, "all elements are written")
  }

  /// Sets all elements to one value.
  @inline(__always)
  func fill(with element: Element) { base.update(repeating: element, count: count) }

  /// Sorts the elements.
  @inlinable
  package func sort(by areInIncreasingOrder: (Element, Element) -> Bool) {
    var elements = UnsafeMutableBufferPointer(start: base, count: count)
    elements.sort(by: areInIncreasingOrder)
  }

  /// The column for reading.
  @inlinable @inline(__always)
  package var elements: BorrowedColumn<Element> { BorrowedColumn(base: UnsafePointer(base), count: count) }
}

extension MutableColumn<UInt8> {
  /// Creates a view of memory, which must outlive it.
  package init(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { preconditionFailure("the memory has an address") }
    self.init(base: start.bindMemory(to: UInt8.self, capacity: memory.count), count: memory.count)
  }

  /// Returns a column of `count` aligned numbers or records.
  package func column<Number: BitwiseCopyable>(
    of type: Number.Type, at offset: Int, count: Int
  ) -> MutableColumn<Number> {
    let bytes = self[offset..<offset + count * MemoryLayout<Number>.stride]
    precondition(UInt(bitPattern: bytes.base) % UInt(MemoryLayout<Number>.alignment) == 0, "a column is aligned")
    return MutableColumn<Number>(
      base: UnsafeMutableRawPointer(bytes.base).assumingMemoryBound(to: type), count: count)
  }
}
