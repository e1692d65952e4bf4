/// A growable buffer with a single owner. Appending needs no uniqueness check, and release builds do not check indices.
struct GrowingStorage<Element: BitwiseCopyable>: ~Copyable {
  /// The address of the first element, valid until the storage grows.
  private(set) var base: UnsafeMutablePointer<Element>
  /// The number of elements.
  private(set) var count = 0
  private var capacity: Int

  /// Allocates an empty buffer.
  init(capacity: Int = 16) {
    self.capacity = max(capacity, 1)
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  /// The elements, valid until the next change.
  var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

  /// The elements for mutation in place, valid until the storage grows.
  var mutableElements: UnsafeMutableBufferPointer<Element> { UnsafeMutableBufferPointer(start: base, count: count) }

  /// Accesses an element. The index must be less than ``count``.
  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      assert(index >= 0 && index < count, "an index is less than the number of elements")
      return base[index]
    }
    nonmutating set {
      assert(index >= 0 && index < count, "an index is less than the number of elements")
      base[index] = newValue
    }
  }

  /// Appends an element.
  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow(by: 1) }
    base[count] = element
    count &+= 1
  }

  /// Appends copies of the elements at an address.
  @inline(__always)
  mutating func append(_ source: UnsafePointer<Element>, count added: Int) {
    if capacity &- count < added { grow(by: added) }
    (base + count).update(from: source, count: added)
    count &+= added
  }

  /// Appends uninitialized elements and returns their address. The caller must initialize all of them.
  @inline(__always)
  mutating func extend(by added: Int) -> UnsafeMutablePointer<Element> {
    if capacity &- count < added { grow(by: added) }
    count &+= added
    return base + (count &- added)
  }

  /// Reserves capacity for further elements. Pointers stay valid while `added` elements are appended.
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

// The storage is noncopyable, so its memory has one owner.
extension GrowingStorage: @unchecked Sendable where Element: Sendable {}

/// A growable buffer of bytes.
typealias GrowingBytes = GrowingStorage<UInt8>

extension GrowingStorage where Element == UInt8 {
  /// The bytes, valid until the next change.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Appends bytes.
  @inline(__always)
  mutating func append(raw source: UnsafeRawBufferPointer) {
    guard let start = source.baseAddress else { return }
    append(start.assumingMemoryBound(to: UInt8.self), count: source.count)
  }

  /// Appends a number in its in-memory representation.
  @inline(__always)
  mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(number: Number) {
    UnsafeMutableRawPointer(extend(by: MemoryLayout<Number>.size)).storeBytes(of: number, as: Number.self)
  }

  /// Appends a buffer of numbers in their in-memory representation.
  mutating func append<Number: BitwiseCopyable>(numbers: UnsafeBufferPointer<Number>) {
    append(raw: UnsafeRawBufferPointer(numbers))
  }

  /// Appends zeros until the count is a multiple of `multiple`.
  mutating func pad(to multiple: Int) {
    while count % multiple != 0 { append(0) }
  }
}
