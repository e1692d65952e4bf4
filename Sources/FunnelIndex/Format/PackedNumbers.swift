/// The number of bytes of each number of a column.
enum NumberWidth: Int {
  case one = 1
  case two = 2
  case four = 4
  case eight = 8

  /// The smallest width that holds a number.
  init(for largest: UInt64) {
    switch UInt64.bitWidth - largest.leadingZeroBitCount {
    case ...8: self = .one
    case ...16: self = .two
    case ...32: self = .four
    default: self = .eight
    }
  }

  /// The width of the codes of a dictionary with `count` entries: 1, 2 or 4 bytes.
  init(forCodes count: Int) {
    assert(count >= 0 && count <= 1 << UInt32.bitWidth, "a code has at most 32 bits")
    self.init(for: UInt64(max(count, 1) - 1))
  }
}

/// A column of unsigned numbers in a sorted run, each of the same width.
struct PackedNumbers: BitwiseCopyable {
  /// The number of bytes of each number.
  let width: NumberWidth
  private let bytes: BorrowedBytes

  /// No numbers.
  static let empty = PackedNumbers(.empty, width: .one)

  /// Creates a view of bytes.
  @inline(__always)
  init(_ bytes: BorrowedBytes, width: NumberWidth) {
    self.bytes = bytes
    self.width = width
  }

  /// The count of numbers.
  var count: Int { bytes.count / width.rawValue }

  /// Returns the number at an index.
  @inline(__always)
  subscript(index: Int) -> UInt64 {
    switch width {
    case .one: UInt64(bytes.load(at: index, as: UInt8.self))
    case .two: UInt64(bytes.load(at: index &* 2, as: UInt16.self))
    case .four: UInt64(bytes.load(at: index &* 4, as: UInt32.self))
    case .eight: bytes.load(at: index &* 8, as: UInt64.self)
    }
  }

  /// Returns the bytes from the number at an index on, if each number takes one byte.
  @inline(__always)
  func singleBytes(from index: Int) -> BorrowedColumn<UInt8> {
    assert(width == .one, "numbers are bytes")
    return bytes.column(of: UInt8.self, at: index, count: bytes.count &- index)
  }

  /// Prefetches the cache line of the number at an index.
  @inline(__always)
  func prefetch(_ index: Int) { bytes.prefetch(index &* width.rawValue) }

  /// The largest number, or 0 if there are none.
  var largest: UInt64 {
    switch width {
    case .one: largest(of: UInt8.self)
    case .two: largest(of: UInt16.self)
    case .four: largest(of: UInt32.self)
    case .eight: largest(of: UInt64.self)
    }
  }

  @inline(__always)
  private func largest<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(of type: Number.Type) -> UInt64 {
    var largest: Number = 0
    for index in 0..<bytes.count / MemoryLayout<Number>.size {
      largest = max(largest, bytes.load(at: index &* MemoryLayout<Number>.size, as: type))
    }
    return UInt64(largest)
  }
}

extension UniqueArray where Element == UInt8 {
  /// Appends words as numbers of a width, each less `base`. The differences must fit.
  mutating func append(_ words: BorrowedColumn<UInt64>, minus base: UInt64 = 0, width: NumberWidth) {
    switch width {
    case .one: append(words, minus: base, as: UInt8.self)
    case .two: append(words, minus: base, as: UInt16.self)
    case .four: append(words, minus: base, as: UInt32.self)
    case .eight: append(words, minus: base, as: UInt64.self)
    }
  }

  @inline(__always)
  private mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(
    _ words: BorrowedColumn<UInt64>, minus base: UInt64, as type: Number.Type
  ) {
    let start = count
    _ = appendUninitialized(words.count * MemoryLayout<Number>.size)
    for index in 0..<words.count {
      assert(words[index] &- base <= UInt64(Number.max.magnitude), "a difference fits its width")
      store(Number(truncatingIfNeeded: words[index] &- base), at: start &+ index &* MemoryLayout<Number>.size)
    }
  }
}
