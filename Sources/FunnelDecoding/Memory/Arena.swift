// The memory of the decoder's caches, and views of it.
//
// Invariants of this file, on which the module relies:
// - An `Arena` outlives its tables and texts: a type that stores one of them stores the arena, too.
// - Elements are bitwise copyable, so memory needs no deinitialization, and an element may be assigned at any time. It is
//   assigned before it is read.
// - An index is within its table. Debug builds assert it for each access.
// - One thread uses an arena and all its views.

/// An owner of blocks of memory, all of which it releases together.
///
///     private let arena = Arena()
///     private let slots: Table<UInt16>
///     init() { slots = arena.table(repeating: 0, count: 64) }
final class Arena {
  private var blocks: [UnsafeMutableRawPointer] = []

  deinit { removeAll() }

  /// Releases all memory. Views of it must not be used afterwards.
  func removeAll() {
    for block in blocks { block.deallocate() }
    blocks.removeAll(keepingCapacity: true)
  }

  /// Returns a new table without values. An element must be assigned before it is read.
  func table<Element: BitwiseCopyable>(of type: Element.Type = Element.self, count: Int) -> Table<Element> {
    let table = Table<Element>(allocating: count)
    blocks.append(table.address)
    return table
  }

  /// Returns a new table of equal elements.
  func table<Element: BitwiseCopyable>(repeating element: Element, count: Int) -> Table<Element> {
    let table = table(of: Element.self, count: count)
    table.fill(0..<count, with: element)
    return table
  }

  /// Returns a copy of a text, which zeros follow.
  func copy(_ text: PaddedText, zeroCount: Int = PaddedText.paddingBytes) -> Table<UInt8> {
    let table = table(of: UInt8.self, count: text.count + zeroCount)
    table.copy(text.raw.bytes, to: 0)
    table.fill(text.count..<table.count, with: 0)
    return table
  }
}

/// A view of a fixed number of elements that an ``Arena`` owns.
///
/// Copies of a view share the elements. Access needs no uniqueness check, unlike that of an array.
struct Table<Element: BitwiseCopyable>: BitwiseCopyable {
  private let base: UnsafeMutablePointer<Element>
  /// The number of elements.
  let count: Int

  /// Allocates a table that no arena owns. Its owner must call ``deallocate()``.
  init(allocating count: Int) {
    precondition(count >= 0, "a count is not negative")
    base = .allocate(capacity: count)
    self.count = count
  }

  /// Deallocates a table that no arena owns.
  func deallocate() { base.deallocate() }

  /// The address of the first element.
  fileprivate var address: UnsafeMutableRawPointer { UnsafeMutableRawPointer(base) }

  @inline(__always)
  private init(base: UnsafeMutablePointer<Element>, count: Int) {
    self.base = base
    self.count = count
  }

  /// Accesses an element.
  @inline(__always)
  subscript(index: Int) -> Element {
    unsafeAddress {
      assert(index >= 0 && index < count, "an index is less than the number of elements")
      return UnsafePointer(base + index)
    }
    nonmutating unsafeMutableAddress {
      assert(index >= 0 && index < count, "an index is less than the number of elements")
      return base + index
    }
  }

  /// Returns a part of the table.
  @inline(__always)
  subscript(range: Range<Int>) -> Table {
    assert(range.lowerBound >= 0 && range.upperBound <= count, "a part of a table is within it")
    return Table(base: base + range.lowerBound, count: range.upperBound &- range.lowerBound)
  }

  /// Returns a reference to an element.
  @inline(__always)
  func reference(to index: Int) -> Reference<Element> {
    assert(index >= 0 && index < count, "an index is less than the number of elements")
    return Reference(base + index)
  }

  /// Sets the elements of a range to one value.
  func fill(_ range: Range<Int>, with element: Element) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a part of a table is within it")
    (base + range.lowerBound).update(repeating: element, count: range.count)
  }

  /// Copies the first elements of another table.
  func copy(first copiedCount: Int, of other: Table) {
    precondition(copiedCount >= 0 && copiedCount <= min(count, other.count), "both tables have the elements")
    base.update(from: other.base, count: copiedCount)
  }

  /// Sorts the first elements.
  func sort(first sortedCount: Int, by areInIncreasingOrder: (Element, Element) -> Bool) {
    precondition(sortedCount >= 0 && sortedCount <= count, "the table has the elements")
    var elements = UnsafeMutableBufferPointer(start: base, count: sortedCount)
    elements.sort(by: areInIncreasingOrder)
  }

  /// Returns a view of the first elements.
  @_lifetime(borrow self)
  func span(first count: Int) -> Span<Element> {
    precondition(count >= 0 && count <= self.count, "the table has the elements")
    return _overrideLifetime(Span(_unsafeStart: base, count: count), borrowing: self)
  }

  /// Returns the first elements as a buffer, for other modules.
  @inline(__always)
  func buffer(first count: Int) -> UnsafeBufferPointer<Element> {
    assert(count >= 0 && count <= self.count, "the table has the elements")
    return UnsafeBufferPointer(start: base, count: count)
  }
}

extension Table<UInt8> {
  /// Copies bytes to an offset.
  @inline(__always)
  func copy(_ bytes: RawSpan, to offset: Int) {
    assert(offset >= 0 && bytes.byteCount <= count - offset, "the table has room for the bytes")
    bytes.withUnsafeBytes { source in
      guard let start = source.baseAddress else { return }
      UnsafeMutableRawPointer(base + offset).copyMemory(from: start, byteCount: source.count)
    }
  }

  /// Returns a part of the table as a text. At least ``PaddedText/paddingBytes`` bytes must follow it in the table.
  @inline(__always)
  func text(at offset: Int, count: Int) -> PaddedText {
    assert(
      offset >= 0 && count >= 0 && offset + count + PaddedText.paddingBytes <= self.count,
      "the table contains the text and its padding")
    return PaddedText(UnsafeRawBufferPointer(start: base + offset, count: count))
  }

  /// Calls a closure with the address of the first byte, for a function of C that writes at most ``count`` bytes.
  func withCharacters<Result>(_ body: (UnsafeMutablePointer<CChar>) -> Result) -> Result {
    base.withMemoryRebound(to: CChar.self, capacity: count, body)
  }

  /// Returns the little-endian word at an offset.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    assert(offset >= 0 && offset + MemoryLayout<UInt64>.size <= count, "the table contains the whole word")
    return UInt64(littleEndian: UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self))
  }

  /// Returns the sixteen bytes at an offset.
  @inline(__always)
  func vector(at offset: Int) -> SIMD16<UInt8> {
    assert(offset >= 0 && offset + MemoryLayout<SIMD16<UInt8>>.size <= count, "the table contains the whole vector")
    return UnsafeRawPointer(base + offset).loadUnaligned(as: SIMD16<UInt8>.self)
  }
}

/// A reference to one element of a ``Table``, valid as long as the table's arena.
@usableFromInline
struct Reference<Element>: BitwiseCopyable, Equatable {
  @usableFromInline let pointer: UnsafeMutablePointer<Element>

  /// Creates a reference to a value, which must outlive it.
  @inline(__always)
  init(_ pointer: UnsafeMutablePointer<Element>) { self.pointer = pointer }

  /// The element.
  @inlinable @inline(__always)
  var value: Element {
    unsafeAddress { UnsafePointer(pointer) }
    nonmutating unsafeMutableAddress { pointer }
  }

  /// A number that identifies the element among all elements in memory. It is not 0.
  @inline(__always)
  var address: UInt { UInt(bitPattern: pointer) }
}
