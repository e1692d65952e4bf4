/// A growable array with a single owner.
///
/// Appending needs no uniqueness check, and release builds do not check indices.
///
/// **Invariants:** the first ``count`` of `capacity` elements are initialized. Views of the elements
/// (``elements``, ``mutableElements``) are valid until the array grows or is released.
struct UniqueArray<Element: BitwiseCopyable>: ~Copyable {
  private var base: UnsafeMutablePointer<Element>
  /// The number of elements.
  private(set) var count = 0
  private var capacity: Int

  /// Allocates an empty array.
  init(capacity: Int = 16) {
    precondition(capacity >= 0, "a capacity is not negative")
    self.capacity = max(capacity, 1)
    base = .allocate(capacity: self.capacity)
  }

  /// Creates an array of equal elements.
  init(repeating element: Element, count: Int) {
    self.init(capacity: count)
    base.initialize(repeating: element, count: count)
    self.count = count
  }

  /// Copies the elements of a standard array.
  init(_ elements: [Element]) {
    self.init(capacity: elements.count)
    for element in elements { append(element) }
  }

  deinit { base.deallocate() }

  /// The elements for reading.
  @inline(__always)
  var elements: BorrowedColumn<Element> { mutableElements.elements }

  /// The elements for mutation in place.
  @inline(__always)
  var mutableElements: MutableColumn<Element> { MutableColumn(base: base, count: count) }

  /// Accesses an element.
  @inline(__always)
  subscript(index: Int) -> Element {
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
  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow(by: 1) }
    base[count] = element
    count &+= 1
  }

  /// Appends copies of the elements of a column, which must not be one of this array.
  @inline(__always)
  mutating func append(_ source: BorrowedColumn<Element>) {
    reserve(source.count)
    (base + count).update(from: source.base, count: source.count)
    count &+= source.count
  }

  /// Appends uninitialized elements and returns them. The caller must set all of them before it reads one.
  @inline(__always)
  mutating func appendUninitialized(_ added: Int) -> MutableColumn<Element> {
    assert(added >= 0, "a count is not negative")
    reserve(added)
    count &+= added
    return MutableColumn(base: base + (count &- added), count: added)
  }

  /// Reserves capacity for further elements.
  @inline(__always)
  mutating func reserve(_ added: Int) {
    if capacity &- count < added { grow(by: added) }
  }

  /// Removes all elements and keeps the capacity.
  @inline(__always)
  mutating func removeAll() { count = 0 }

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

  @inline(never)
  private mutating func grow(by added: Int) {
    let newCapacity = max(count + added, capacity * 2)
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: newCapacity)
    larger.update(from: base, count: count)
    base.deallocate()
    base = larger
    capacity = newCapacity
  }
}

// The array is noncopyable, so its memory has one owner.
extension UniqueArray: @unchecked Sendable where Element: Sendable {}

/// A growable array of bytes.
typealias UniqueBytes = UniqueArray<UInt8>

extension UniqueArray where Element == UInt8 {
  /// The bytes for reading.
  @inline(__always)
  var bytes: BorrowedBytes { elements.bytes }

  /// Appends bytes, which must not be a part of this array.
  @inline(__always)
  mutating func append(_ source: BorrowedBytes) {
    guard let start = source.raw.baseAddress else { return }
    reserve(source.count)
    UnsafeMutableRawPointer(base + count).copyMemory(from: start, byteCount: source.count)
    count &+= source.count
  }

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
struct FixedArray<Element: ~Copyable>: ~Copyable {
  private let base: UnsafeMutablePointer<Element>
  /// The number of elements.
  let count: Int

  /// Creates the elements in order. If `make` throws, those made before are released.
  init<Failure: Error>(count: Int, make: (Int) throws(Failure) -> Element) throws(Failure) {
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

  deinit {
    base.deinitialize(count: count)
    base.deallocate()
  }

  /// Accesses an element in place.
  @inline(__always)
  subscript(index: Int) -> Element {
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
