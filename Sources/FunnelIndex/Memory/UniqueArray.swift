// Invariants of this file, on which its users rely:
//
// - The first `count` of the `capacity` elements of a `UniqueArray` are initialized, and all elements of a
//   `FixedArray`.
// - The array is noncopyable, so its memory has one owner. Views of the elements are valid until the array grows or is
//   released; a view of a `let` array is valid as long as the array.

/// A growable array with a single owner.
///
/// Appending needs no uniqueness check, and release builds do not check indices.
///
///     var times = UniqueArray<Int64>()
///     times.append(1)
///     let view = times.elements  // valid until the next append
@usableFromInline
package struct UniqueArray<Element: BitwiseCopyable>: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<Element>
  /// The number of elements.
  @usableFromInline package internal(set) var count = 0
  /// The number of elements for which there is memory.
  @usableFromInline package internal(set) var capacity: Int

  /// Allocates an empty array.
  @inlinable
  package init(capacity: Int = 16) {
    precondition(capacity >= 0, "a capacity is not negative")
    self.capacity = max(capacity, 1)
    base = .allocate(capacity: self.capacity)
  }

  /// Creates an array of equal elements.
  @inlinable
  package init(repeating element: Element, count: Int) {
    self.init(capacity: count)
    base.initialize(repeating: element, count: count)
    self.count = count
  }

  /// Copies the elements of a standard array.
  init(_ elements: [Element]) {
    self.init(capacity: elements.count)
    elements.withBorrowedElements { append($0) }
  }

  @inlinable
  deinit { base.deallocate() }

  /// The elements for reading.
  @inlinable @inline(__always)
  package var elements: BorrowedColumn<Element> { mutableElements.elements }

  /// The elements for mutation in place.
  @inlinable @inline(__always)
  package var mutableElements: MutableColumn<Element> { MutableColumn(base: base, count: count) }

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

  /// Appends an element.
  @inlinable @inline(__always)
  package mutating func append(_ element: Element) {
    if count == capacity { grow(by: 1) }
    base[count] = element
    count &+= 1
  }

  /// Appends copies of the elements of a column, which must not be one of this array.
  @inlinable @inline(__always)
  package mutating func append(_ source: BorrowedColumn<Element>) {
    assert(source.isEmpty || source.base + source.count <= base || source.base >= base + capacity, "the memory differs")
    reserve(source.count)
    (base + count).update(from: source.base, count: source.count)
    count &+= source.count
  }

  /// Appends uninitialized elements and returns them. The caller must set all of them before it reads one.
  @inlinable @inline(__always)
  package mutating func appendUninitialized(_ added: Int) -> MutableColumn<Element> {
    precondition(added >= 0, "a count is not negative")
    reserve(added)
    count &+= added
    return MutableColumn(base: base + (count &- added), count: added)
  }

  /// Appends exactly `added` elements, which a closure writes.
  package mutating func append<Failure: Error>(
    _ added: Int, _ write: (inout OutputSpan<Element>) throws(Failure) -> Void
  ) throws(Failure) {
    reserve(added)
    try MutableColumn(base: base + count, count: added).replaceAll(write)
    count += added
  }

  /// Appends copies of the elements of a span.
  package mutating func append(copying source: Span<Element>) {
    source.withUnsafeBufferPointer { append(BorrowedColumn($0)) }
  }

  /// Reserves capacity for further elements.
  @inlinable @inline(__always)
  package mutating func reserve(_ added: Int) {
    if capacity &- count < added { grow(by: added) }
  }

  /// Removes all elements and keeps the capacity.
  @inlinable @inline(__always)
  package mutating func removeAll() { count = 0 }

  /// Removes all but the first `count` elements.
  @inline(__always)
  mutating func truncate(to count: Int) {
    assert(count >= 0 && count <= self.count, "truncation does not add elements")
    self.count = count
  }

  /// Returns the elements and leaves the array empty, with a new capacity.
  mutating func take(leavingCapacity capacity: Int = 1) -> UniqueArray {
    var taken = UniqueArray(capacity: capacity)
    swap(&self, &taken)
    return taken
  }

  @inlinable @inline(never)
  mutating func grow(by added: Int) {
    let newCapacity = max(count + added, capacity * 2)
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
    larger.update(from: base, count: count)
    base.deallocate()
    base = larger
    capacity = newCapacity
  }
}

extension UniqueArray: @unchecked Sendable where Element: Sendable {}

/// A growable array of bytes.
@usableFromInline
package typealias UniqueBytes = UniqueArray<UInt8>

extension UniqueBytes {
  /// The bytes for reading.
  @inlinable @inline(__always)
  package var bytes: BorrowedBytes { elements }

  /// Appends a number in its in-memory representation.
  @inline(__always)
  mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(number: Number) {
    let offset = count
    _ = appendUninitialized(MemoryLayout<Number>.size)
    store(number, at: offset)
  }

  /// Appends a column of numbers in their in-memory representation.
  mutating func append<Number: BitwiseCopyable>(numbers: BorrowedColumn<Number>) { append(numbers.bytes) }

  /// Replaces the bytes of a number, which need not be aligned.
  @inline(__always)
  func store<Number: BitwiseCopyable>(_ number: Number, at offset: Int) {
    assert(offset >= 0 && offset <= count - MemoryLayout<Number>.size, "a number is within its bytes")
    UnsafeMutableRawPointer(base).storeBytes(of: number, toByteOffset: offset, as: Number.self)
  }

  /// Appends zeros until the count is a multiple of `multiple`.
  mutating func pad(to multiple: Int) {
    precondition(multiple > 0, "an alignment is positive")
    while count % multiple != 0 { append(0) }
  }
}

/// A fixed number of elements with a single owner, which are changed in place.
///
/// **Invariant:** all ``count`` elements are initialized.
@usableFromInline
package struct FixedArray<Element: ~Copyable>: ~Copyable {
  @usableFromInline let base: UnsafeMutablePointer<Element>
  /// The number of elements.
  @usableFromInline package let count: Int

  /// Creates the elements in order. If `make` throws, those made before are released.
  @inlinable
  package init<Failure: Error>(count: Int, make: (Int) throws(Failure) -> Element) throws(Failure) {
    precondition(count >= 0, "a count is not negative")
    base = .allocate(capacity: max(count, 1))
    var made = 0
    do throws(Failure) {
      while made < count {
        (base + made).initialize(to: try make(made))
        made += 1
      }
    } catch {
      base.deinitialize(count: made)
      base.deallocate()
      throw error
    }
    self.count = count
  }

  @inlinable
  deinit {
    base.deinitialize(count: count)
    base.deallocate()
  }

  /// Accesses an element in place.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Element {
    unsafeAddress {
      assert(index >= 0 && index < count, "an index is less than the number of elements")
      return UnsafePointer(base + index)
    }
    unsafeMutableAddress {
      assert(index >= 0 && index < count, "an index is less than the number of elements")
      return base + index
    }
  }
}
