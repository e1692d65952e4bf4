/// A buffer that grows, owned by one place: appending costs a store, without the checks of an array.
struct GrowingStorage<Element: BitwiseCopyable>: ~Copyable {
  private(set) var base: UnsafeMutablePointer<Element>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int = 16) {
    self.capacity = max(capacity, 1)
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  /// The elements; valid until the next change.
  var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

  /// The elements, to be changed in place; valid until the storage grows.
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

  /// Makes room for further elements and returns where they go; the caller fills all of them.
  @inline(__always)
  mutating func extend(by added: Int) -> UnsafeMutablePointer<Element> {
    if capacity &- count < added { grow(by: added) }
    count &+= added
    return base + (count &- added)
  }

  /// Makes room, so that pointers stay valid while that many elements are appended.
  @inline(__always)
  mutating func reserve(_ added: Int) {
    if capacity &- count < added { grow(by: added) }
  }

  @inline(__always)
  mutating func removeAll() { count = 0 }

  /// Forgets the elements behind the first so many.
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

// It has one owner, and its memory is reached through it alone.
extension GrowingStorage: @unchecked Sendable where Element: Sendable {}

/// Bytes that grow.
typealias GrowingBytes = GrowingStorage<UInt8>

extension GrowingStorage where Element == UInt8 {
  /// The bytes; valid until the next change.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  @inline(__always)
  mutating func append(raw source: UnsafeRawBufferPointer) {
    guard let start = source.baseAddress else { return }
    append(start.assumingMemoryBound(to: UInt8.self), count: source.count)
  }

  /// Appends a number as it lies in memory.
  @inline(__always)
  mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(number: Number) {
    UnsafeMutableRawPointer(extend(by: MemoryLayout<Number>.size)).storeBytes(of: number, as: Number.self)
  }

  /// Appends a whole array of numbers as it lies in memory.
  mutating func append<Number: BitwiseCopyable>(numbers: UnsafeBufferPointer<Number>) {
    append(raw: UnsafeRawBufferPointer(numbers))
  }

  /// Appends zeros until the length is a multiple.
  mutating func pad(to multiple: Int) {
    while count % multiple != 0 { append(0) }
  }
}
