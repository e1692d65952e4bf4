internal import CMemory
internal import FunnelDecoding
internal import FunnelSystem

/// A range of bytes that another object owns: a mapped file, a buffer in memory or the line being decoded.
///
/// **Invariants** of this file, on which the module relies:
///
/// - The owner outlives every view of its bytes. Readers hold their ``SortedRun``, batches their blocks.
/// - The bytes are not written while they are borrowed.
/// - A view is a part of the view from which it was made: slicing checks its range in all builds, an access to single
///   numbers in debug builds only. Ranges that come from a file are validated once, when a section is opened.
struct BorrowedBytes: BitwiseCopyable, @unchecked Sendable {
  /// The bytes for modules below this one, which take buffers.
  let raw: UnsafeRawBufferPointer

  /// No bytes.
  static let empty = BorrowedBytes(UnsafeRawBufferPointer(start: nil, count: 0))

  /// Creates a view of a buffer, which must outlive it.
  @inline(__always)
  init(_ raw: UnsafeRawBufferPointer) { self.raw = raw }

  /// The number of bytes.
  @inline(__always)
  var count: Int { raw.count }

  /// Whether there are no bytes.
  @inline(__always)
  var isEmpty: Bool { raw.isEmpty }

  /// Returns the byte at an offset.
  @inline(__always)
  subscript(offset: Int) -> UInt8 { load(at: offset, as: UInt8.self) }

  /// Returns the bytes of a range.
  @inline(__always)
  subscript(range: Range<Int>) -> BorrowedBytes {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a slice is within its bytes")
    let start = raw.baseAddress.map { $0 + range.lowerBound }
    return BorrowedBytes(UnsafeRawBufferPointer(start: start, count: range.upperBound &- range.lowerBound))
  }

  /// Returns the bytes from an offset on.
  @inline(__always)
  func dropFirst(_ offset: Int) -> BorrowedBytes { self[offset..<count] }

  /// Returns the number at an offset, which need not be aligned.
  @inline(__always)
  func load<Number: BitwiseCopyable>(at offset: Int, as type: Number.Type) -> Number {
    assert(offset >= 0 && offset <= count - MemoryLayout<Number>.size, "a number is within its bytes")
    return raw.baseAddress.unsafelyUnwrapped.loadUnaligned(fromByteOffset: offset, as: type)
  }

  /// Returns a column of `count` aligned numbers.
  func column<Number: BitwiseCopyable>(of type: Number.Type, at offset: Int, count: Int) -> BorrowedColumn<Number> {
    guard count > 0 else { return .empty }
    let bytes = self[offset..<offset + count * MemoryLayout<Number>.stride]
    let start = bytes.raw.baseAddress.unsafelyUnwrapped
    precondition(UInt(bitPattern: start) % UInt(MemoryLayout<Number>.alignment) == 0, "a column is aligned")
    return BorrowedColumn(base: start.assumingMemoryBound(to: Number.self), count: count)
  }

  /// Prefetches the cache line of an offset, which need not be within the bytes.
  @inline(__always)
  func prefetch(_ offset: Int) {
    if let start = raw.baseAddress { funnel_prefetch(start + offset) }
  }

  /// A copy of the bytes.
  var array: [UInt8] { Array(raw) }

  /// The bytes decoded as UTF-8.
  var string: String { String(decoding: raw, as: UTF8.self) }

  /// Calls a closure with the bytes as a span.
  func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
    try body(Span(_unsafeBytes: raw))
  }

  /// The CRC-32 of the bytes.
  var crc32: UInt32 { withSpan { Checksum.crc32($0) } }

  /// Returns whether the bytes equal those of a sequence.
  func elementsEqual(_ other: some Sequence<UInt8>) -> Bool { raw.elementsEqual(other) }

  /// Returns whether these bytes precede others lexicographically, or `nil` if they are equal.
  func order(before other: BorrowedBytes) -> Bool? { raw.order(before: other.raw) }

  /// Returns whether these bytes equal others.
  @inline(__always)
  func isEqual(to other: BorrowedBytes) -> Bool { count == other.count && ByteHash.areEqual(self, other) }

  /// Returns whether other bytes are a part of these.
  func contains(_ other: BorrowedBytes) -> Bool {
    guard let start = raw.baseAddress, let otherStart = other.raw.baseAddress else { return false }
    return otherStart >= start && otherStart + other.count <= start + count
  }

  /// Returns the offset of other bytes, which must be a part of these.
  func offset(of other: BorrowedBytes) -> Int {
    precondition(contains(other), "an offset is asked for a part of the bytes")
    return other.raw.baseAddress.unsafelyUnwrapped - raw.baseAddress.unsafelyUnwrapped
  }

  /// The location of bytes in memory: equal for two views of the same bytes while their owner lives.
  struct Location: Hashable {
    fileprivate let address: UInt
    fileprivate let count: Int
  }

  /// The location of the bytes.
  var location: Location { Location(address: UInt(bitPattern: raw.baseAddress), count: count) }
}

extension [UInt8] {
  /// Calls `body` with a view of the bytes, which is valid only during the call.
  @inline(__always)
  func withBorrowedBytes<Result>(_ body: (BorrowedBytes) -> Result) -> Result { withUnsafeBytes { body(BorrowedBytes($0)) } }
}

/// A column of numbers or records that another object owns, for reading. The invariants are those of ``BorrowedBytes``.
struct BorrowedColumn<Element: BitwiseCopyable>: BitwiseCopyable, @unchecked Sendable {
  /// The address of the first element; arbitrary if there are none.
  let base: UnsafePointer<Element>
  /// The number of elements.
  let count: Int

  /// A column without elements.
  static var empty: BorrowedColumn {
    BorrowedColumn(base: UnsafePointer(bitPattern: MemoryLayout<Element>.alignment).unsafelyUnwrapped, count: 0)
  }

  /// Creates a view of a buffer, which must outlive it.
  @inline(__always)
  init(_ buffer: UnsafeBufferPointer<Element>) {
    self = buffer.baseAddress.map { BorrowedColumn(base: $0, count: buffer.count) } ?? .empty
  }

  @inline(__always)
  fileprivate init(base: UnsafePointer<Element>, count: Int) {
    self.base = base
    self.count = count
  }

  /// Whether there are no elements.
  @inline(__always)
  var isEmpty: Bool { count == 0 }

  /// Returns an element.
  @inline(__always)
  subscript(index: Int) -> Element {
    assert(index >= 0 && index < count, "an index is less than the number of elements")
    return base[index]
  }

  /// Returns a part of the column.
  @inline(__always)
  subscript(range: Range<Int>) -> BorrowedColumn {
    assert(range.lowerBound >= 0 && range.upperBound <= count, "a part of a column is within it")
    return BorrowedColumn(base: base + range.lowerBound, count: range.upperBound &- range.lowerBound)
  }

  /// Prefetches the cache line of an element, which need not exist.
  @inline(__always)
  func prefetch(_ index: Int) { funnel_prefetch(base + index) }

  /// The elements in memory order.
  var bytes: BorrowedBytes {
    BorrowedBytes(UnsafeRawBufferPointer(UnsafeBufferPointer(start: base, count: count)))
  }

  /// A copy of the elements from an index on.
  func array(from start: Int = 0) -> [Element] { Array(UnsafeBufferPointer(start: base, count: count)[start...]) }
}

/// A column of numbers or records that another object owns, for reading and writing.
///
/// The invariants are those of ``BorrowedBytes``, and only one thread accesses the elements.
struct MutableColumn<Element: BitwiseCopyable>: BitwiseCopyable, @unchecked Sendable {
  /// The address of the first element.
  let base: UnsafeMutablePointer<Element>
  /// The number of elements.
  let count: Int

  @inline(__always)
  init(base: UnsafeMutablePointer<Element>, count: Int) {
    self.base = base
    self.count = count
  }

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

  /// Returns a part of the column.
  @inline(__always)
  subscript(range: Range<Int>) -> MutableColumn {
    assert(range.lowerBound >= 0 && range.upperBound <= count, "a part of a column is within it")
    return MutableColumn(base: base + range.lowerBound, count: range.upperBound &- range.lowerBound)
  }

  /// Returns the column from an index on.
  @inline(__always)
  func from(_ start: Int) -> MutableColumn { self[start..<count] }

  /// Sets the first `count` elements to one value.
  @inline(__always)
  func fill(_ count: Int, with element: Element) {
    assert(count <= self.count, "a column has room for the elements")
    base.update(repeating: element, count: count)
  }

  /// Sorts the elements.
  func sort(by areInIncreasingOrder: (Element, Element) -> Bool) {
    var elements = UnsafeMutableBufferPointer(start: base, count: count)
    elements.sort(by: areInIncreasingOrder)
  }

  /// The column for reading.
  @inline(__always)
  var elements: BorrowedColumn<Element> { BorrowedColumn(base: base, count: count) }
}
