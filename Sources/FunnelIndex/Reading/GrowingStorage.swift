/// A growable buffer with a single owner: appending is a plain store, without the checks of an array.
struct GrowingStorage<Element: BitwiseCopyable>: ~Copyable {
  private(set) var base: UnsafeMutablePointer<Element>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int = 16) {
    self.capacity = max(capacity, 1)
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  /// The elements, valid until the next change.
  var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

  /// The elements for mutation in place, valid until the storage grows.
  var mutableElements: UnsafeMutableBufferPointer<Element> { UnsafeMutableBufferPointer(start: base, count: count) }

  @inline(__always)
  subscript(index: Int) -> Element {
    get { base[index] }
    nonmutating set { base[index] = newValue }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow(by: 1) }
    base[count] = element
    count &+= 1
  }

  @inline(__always)
  mutating func append(_ source: UnsafePointer<Element>, count added: Int) {
    if capacity &- count < added { grow(by: added) }
    (base + count).update(from: source, count: added)
    count &+= added
  }

  /// Adds uninitialized elements and returns their address; the caller must initialize all of them.
  @inline(__always)
  mutating func extend(by added: Int) -> UnsafeMutablePointer<Element> {
    if capacity &- count < added { grow(by: added) }
    count &+= added
    return base + (count &- added)
  }

  /// Reserves capacity, so that pointers stay valid while that many elements are appended.
  @inline(__always)
  mutating func reserve(_ added: Int) {
    if capacity &- count < added { grow(by: added) }
  }

  @inline(__always)
  mutating func removeAll() { count = 0 }

  /// Removes all but the first `count` elements.
  @inline(__always)
  mutating func truncate(to count: Int) { self.count = count }

  @inline(never)
  private mutating func grow(by added: Int) {
    let room = max(count + added, capacity * 2)
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: room)
    larger.update(from: base, count: count)
    base.deallocate()
    base = larger
    capacity = room
  }
}

// The storage has one owner, and its memory is accessed only through it.
extension GrowingStorage: @unchecked Sendable where Element: Sendable {}

/// A growable buffer of bytes.
typealias GrowingBytes = GrowingStorage<UInt8>

extension GrowingStorage where Element == UInt8 {
  /// The bytes, valid until the next change.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

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
