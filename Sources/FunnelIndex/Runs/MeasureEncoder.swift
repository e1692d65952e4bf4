/// Encodes the section `measures` of a partition: the numbers of each measured property, in the order of the events.
///
/// As bytes, for each property in the order of its cells in the dictionary (``IndexFormat``):
///
/// - the number of its numbers, 8 bytes; the width of a number in bytes (1, 2, 4 or 8), 4 bytes; 1 if some are doubles, 4 bytes; the
///   smallest number, 8 bytes;
/// - if some are doubles: a bit for each number, set if it is a double, padded to a multiple of 8 bytes;
/// - the numbers: each as its difference from the smallest or, if some are doubles, as its 64 bits; padded to a multiple of 8 bytes.
struct MeasureEncoder: ~Copyable {
  /// The number of bytes before the numbers of a property.
  static let headBytes = 24

  private struct Column: ~Copyable {
    var words = GrowingStorage<UInt64>(capacity: 1024)
    /// A bit for each number, set if it is a double. It ends with the last double.
    var doubles = GrowingStorage<UInt64>(capacity: 1)

    /// The bounds of the numbers, which must be integers; nil if there are none.
    var bounds: (smallest: Int64, largest: Int64)? {
      guard words.count > 0 else { return nil }
      var (smallest, largest) = (Int64.max, Int64.min)
      for index in 0..<words.count {
        let integer = Int64(bitPattern: words[index])
        smallest = min(smallest, integer)
        largest = max(largest, integer)
      }
      return (smallest, largest)
    }
  }

  private let columns: UnsafeMutablePointer<Column>
  private let count: Int
  private var isEmpty = true

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

  /// Adds the number that the next event has for a property.
  @inline(__always)
  mutating func append(_ number: MeasuredNumber, of measure: UInt32) {
    precondition(measure < count, "a run has a column for each of its measures")
    let column = columns + Int(measure)
    isEmpty = false
    if number.isDouble {
      let place = column.pointee.words.count
      while column.pointee.doubles.count <= place >> 6 { column.pointee.doubles.append(0) }
      column.pointee.doubles[place >> 6] |= 1 << UInt64(truncatingIfNeeded: place & 63)
    }
    column.pointee.words.append(number.bits)
  }

  /// Writes the section, or nothing if no event has a measured property.
  func write(to bytes: inout GrowingBytes) {
    guard !isEmpty else { return }
    for column in 0..<count { Self.write(columns[column], to: &bytes) }
  }

  private static func write(_ column: borrowing Column, to bytes: inout GrowingBytes) {
    let count = column.words.count
    let hasDoubles = column.doubles.count > 0
    let bounds = hasDoubles ? nil : column.bounds
    let smallest = bounds?.smallest ?? 0
    // The difference of two integers of 64 bits is right as an unsigned one, also if it is too large for a signed one.
    let span = hasDoubles ? UInt64.max : bounds.map { UInt64(bitPattern: $0.largest &- $0.smallest) } ?? 0
    let width = span >> 32 != 0 ? 8 : span >> 16 != 0 ? 4 : span >> 8 != 0 ? 2 : 1
    bytes.append(number: UInt64(count))
    bytes.append(number: UInt32(width))
    bytes.append(number: UInt32(hasDoubles ? 1 : 0))
    bytes.append(number: smallest)
    if hasDoubles {
      bytes.append(numbers: column.doubles.elements)
      for _ in column.doubles.count..<(count + 63) / 64 { bytes.append(number: UInt64(0)) }
    }
    let base = UInt64(bitPattern: smallest)
    let target = UnsafeMutableRawPointer(bytes.extend(by: count * width))
    switch width {
    case 1: store(column.words, minus: base, as: UInt8.self, to: target)
    case 2: store(column.words, minus: base, as: UInt16.self, to: target)
    case 4: store(column.words, minus: base, as: UInt32.self, to: target)
    default: store(column.words, minus: base, as: UInt64.self, to: target)
    }
    bytes.pad(to: 8)
  }

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
