/// An encoder for the section `measures` of a partition: the numbers of each measured property, in the order of
/// the events.
///
/// The encoding of each property, in the order of the entries in the dictionary (``IndexFormat``):
///
/// - a header: the count of numbers, 8 bytes; the width of a number in bytes (1, 2, 4 or 8), 4 bytes; 1 if some
///   numbers are doubles and 0 otherwise, 4 bytes; the smallest number or, if some are doubles, 0, 8 bytes;
/// - if some are doubles: a bit for each number, set if it is a double, padded to a multiple of 8 bytes;
/// - the numbers: each as its difference from the smallest or, if some are doubles, as its 64 bits, padded to a
///   multiple of 8 bytes.
struct MeasureEncoder: ~Copyable {
  /// The length of a property's header.
  static let headBytes = 24

  /// The numbers of one property.
  private struct Column: ~Copyable {
    /// The bits of each integer or double.
    var words = GrowingStorage<UInt64>(capacity: 1024)
    /// A bit for each number, set if it is a double. It has no words after that of the last double.
    var doubles = GrowingStorage<UInt64>(capacity: 1)

    /// The smallest and the largest number, all of which must be integers; `nil` if there are no numbers.
    var bounds: (smallest: Int64, largest: Int64)? {
      guard words.count > 0 else { return nil }
      assert(doubles.count == 0, "the bits of doubles are not ordered like integers")
      var smallest = Int64.max
      var largest = Int64.min
      for index in 0..<words.count {
        let integer = Int64(bitPattern: words[index])
        smallest = min(smallest, integer)
        largest = max(largest, integer)
      }
      return (smallest, largest)
    }
  }

  private let columns: UnsafeMutablePointer<Column>
  /// The number of columns.
  private let count: Int
  /// Whether no event has a measured property so far.
  private var isEmpty = true

  /// Creates an encoder.
  ///
  /// - Parameter count: The number of measured properties.
  init(count: Int) {
    self.count = count
    columns = .allocate(capacity: max(count, 1))
    for column in 0..<count { (columns + column).initialize(to: Column()) }
  }

  deinit {
    columns.deinitialize(count: count)
    columns.deallocate()
  }

  /// Appends the number of the next event that has a property.
  @inline(__always)
  mutating func append(_ number: MeasuredNumber, of measure: UInt32) {
    precondition(measure < count, "a run has a column for each of its measures")
    let column = columns + Int(measure)
    isEmpty = false
    if number.isDouble {
      let index = column.pointee.words.count
      while column.pointee.doubles.count <= index >> 6 { column.pointee.doubles.append(0) }
      column.pointee.doubles[index >> 6] |= 1 << UInt64(truncatingIfNeeded: index & 63)
    }
    column.pointee.words.append(number.bits)
  }

  /// Appends the encoded section, or nothing if no event has a measured property.
  func write(to bytes: inout GrowingBytes) {
    guard !isEmpty else { return }
    for column in 0..<count { Self.write(columns[column], to: &bytes) }
  }

  private static func write(_ column: borrowing Column, to bytes: inout GrowingBytes) {
    let count = column.words.count
    let hasDoubles = column.doubles.count > 0
    let bounds = hasDoubles ? nil : column.bounds
    let smallest = bounds?.smallest ?? 0
    // The wrapped difference is exact as an unsigned number, even if it is too large for a signed one.
    let range = bounds.map { UInt64(bitPattern: $0.largest &- $0.smallest) } ?? 0
    let width = hasDoubles ? MemoryLayout<Double>.size : range.storageWidth
    bytes.append(number: UInt64(count))
    bytes.append(number: UInt32(width))
    bytes.append(number: UInt32(hasDoubles ? 1 : 0))
    bytes.append(number: smallest)
    if hasDoubles {
      bytes.append(numbers: column.doubles.elements)
      for _ in column.doubles.count..<(count + UInt64.bitWidth - 1) / UInt64.bitWidth { bytes.append(number: UInt64(0)) }
    }
    let base = UInt64(bitPattern: smallest)
    let target = UnsafeMutableRawPointer(bytes.extend(by: count * width))
    switch width {
    case 1: store(column.words, minus: base, as: UInt8.self, to: target)
    case 2: store(column.words, minus: base, as: UInt16.self, to: target)
    case 4: store(column.words, minus: base, as: UInt32.self, to: target)
    default: store(column.words, minus: base, as: UInt64.self, to: target)
    }
    bytes.pad(to: IndexFormat.alignment)
  }

  /// Stores the differences of words from `base`, each truncated to the size of `Word`.
  @inline(__always)
  private static func store<Word: FixedWidthInteger & BitwiseCopyable>(
    _ words: borrowing GrowingStorage<UInt64>, minus base: UInt64, as type: Word.Type, to target: UnsafeMutableRawPointer
  ) {
    for index in 0..<words.count {
      target.storeBytes(
        of: Word(truncatingIfNeeded: words[index] &- base), toByteOffset: index &* MemoryLayout<Word>.size, as: Word.self)
    }
  }
}
