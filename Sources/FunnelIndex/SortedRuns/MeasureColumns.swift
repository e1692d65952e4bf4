internal import FunnelModel

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
  fileprivate static let headerBytes = 24

  // Not private: in debug builds the compiler (6.3) crashes for a private type in a container that another file destroys.
  /// The numbers of one property.
  struct Column: ~Copyable {
    /// The bits of each integer or double.
    var words = UniqueArray<UInt64>(capacity: 1024)
    /// A bit for each number, set if it is a double.
    var doubles = BitArray()
    var hasDoubles = false

    /// The smallest and the largest number, all of which must be integers; `nil` if there are no numbers.
    var bounds: (smallest: Int64, largest: Int64)? {
      guard words.count > 0 else { return nil }
      assert(!hasDoubles, "the bits of doubles are not ordered like integers")
      var smallest = Int64.max
      var largest = Int64.min
      for index in 0..<words.count {
        let integer = Int64(bitPattern: words[index])
        smallest = min(smallest, integer)
        largest = max(largest, integer)
      }
      return (smallest, largest)
    }

    @inline(__always)
    mutating func append(_ number: MeasuredNumber) {
      if number.isDouble {
        doubles.insert(words.count)
        hasDoubles = true
      }
      words.append(number.bits)
    }

    /// Appends the encoded column.
    func write(to bytes: inout UniqueBytes) {
      let bounds = hasDoubles ? nil : bounds
      let smallest = bounds?.smallest ?? 0
      // The wrapped difference is exact as an unsigned number, even if it is too large for a signed one.
      let range = bounds.map { UInt64(bitPattern: $0.largest &- $0.smallest) } ?? 0
      let width = hasDoubles ? NumberWidth.eight : NumberWidth(for: range)
      bytes.append(number: UInt64(words.count))
      bytes.append(number: UInt32(width.rawValue))
      bytes.append(number: UInt32(hasDoubles ? 1 : 0))
      bytes.append(number: smallest)
      if hasDoubles {
        bytes.append(numbers: doubles.elements)
        // The array ends with the last double.
        for _ in doubles.elements.count..<BitArray.wordCount(ofBits: words.count) { bytes.append(number: UInt64(0)) }
      }
      bytes.append(words.elements, minus: UInt64(bitPattern: smallest), width: width)
      bytes.pad(to: IndexFormat.alignment)
    }
  }

  private var columns: FixedArray<Column>
  /// Whether no event has a measured property so far.
  private var isEmpty = true

  /// Creates an encoder.
  ///
  /// - Parameter count: The number of measured properties.
  init(count: Int) {
    columns = FixedArray(count: count) { _ in Column() }
  }

  /// Appends the number of the next event that has a property.
  @inline(__always)
  mutating func append(_ number: MeasuredNumber, of measure: UInt32) {
    precondition(measure < columns.count, "a run has a column for each of its measures")
    isEmpty = false
    columns[Int(measure)].append(number)
  }

  /// Appends the encoded section, or nothing if no event has a measured property.
  func write(to bytes: inout UniqueBytes) {
    guard !isEmpty else { return }
    for column in 0..<columns.count { columns[column].write(to: &bytes) }
  }
}

/// Cursors over the measured columns of a partition (``MeasureEncoder``), which advance together.
///
/// All events must be read or skipped in order, each with its `props` code: the content determines which
/// columns have a number for the event.
struct MeasureCursors {
  /// Keeps the contents alive.
  private let table: MeasureTable
  private let contents: MeasureTable.Contents
  private let hasOneColumn: Bool
  /// The columns; at least one.
  private var columns: [Column]
  /// Whether the `props` code of a skipped event was invalid. The positions of the columns are then unknown.
  private var isLost = false

  /// Opens the section of a partition.
  ///
  /// - Throws: `inputOutput` if the section is not that of a run with the table's number of columns.
  init(_ section: BorrowedBytes, _ table: MeasureTable) throws(FunnelError) {
    self.table = table
    contents = table.contents
    hasOneColumn = table.hasOneColumn
    columns = Array(repeating: Column(), count: max(table.columnCount, 1))
    guard !section.isEmpty else { return }
    var remainder = section
    for index in 0..<table.columnCount {
      guard let (column, byteCount) = Column.read(remainder) else { throw IndexDamage.error }
      columns[index] = column
      remainder = remainder.dropFirst(byteCount)
    }
    guard remainder.isEmpty else { throw IndexDamage.error }
  }

  /// Appends the measurements of a subject's events.
  ///
  /// - Parameters:
  ///   - count: The number of the subject's events.
  ///   - props: Returns the `props` code of each event.
  ///   - starts: Receives for each event the index of its first measurement, or ``MeasureTable/none`` if it has none.
  /// - Throws: `inputOutput` if the `props` code of an event is invalid, also of one that was skipped, or if
  ///   numbers are missing.
  @inline(__always)
  mutating func read(
    _ count: Int, props: (_ event: Int) -> UInt32, into measurements: inout UniqueArray<Measurement>,
    starts: (_ event: Int, UInt32) -> Void
  ) throws(FunnelError) {
    guard !isLost else { throw IndexDamage.error }
    let contents = contents
    var columns = columns.mutableSpan
    for event in 0..<count {
      let content = props(event)
      guard Int(content) < contents.count else { throw IndexDamage.error }
      let items = contents[content]
      if items.isEmpty {
        starts(event, MeasureTable.none)
      } else {
        guard let start = Self.read(items, &columns, into: &measurements) else { throw IndexDamage.error }
        starts(event, start)
      }
    }
  }

  /// Appends the measurements of an event, and returns the index of the first one, or ``MeasureTable/none`` if
  /// the target measures none of them. Returns `nil` if a number is missing, or if the index exceeds 32 bits.
  @inline(__always)
  private static func read(
    _ items: BorrowedColumn<MeasureTable.Item>, _ columns: inout MutableSpan<Column>,
    into measurements: inout UniqueArray<Measurement>
  ) -> UInt32? {
    let start = measurements.count
    guard start < Int(MeasureTable.none) else { return nil }
    for index in 0..<items.count {
      let item = items[index]
      var number = item.number
      if item.column != MeasureTable.none {
        assert(Int(item.column) < columns.count, "a table has no more columns than its run")
        guard let next = columns[unchecked: Int(item.column)].next() else { return nil }
        number = next
      }
      if item.measure != MeasureTable.none { measurements.append(Measurement(number, of: item.measure, isLast: item.isLast)) }
    }
    return measurements.count == start ? MeasureTable.none : UInt32(truncatingIfNeeded: start)
  }

  /// Skips the numbers of a subject's events.
  ///
  /// - Parameters:
  ///   - count: The number of the subject's events.
  ///   - props: Returns the `props` code of each event.
  @inline(__always)
  mutating func skip(_ count: Int, props: (_ event: Int) -> UInt32) {
    if !Self.skip(count, props: props, contents, hasOneColumn: hasOneColumn, in: &columns) { isLost = true }
  }

  /// Skips the numbers of events. Returns `false` if a `props` code is invalid.
  @inline(__always)
  private static func skip(
    _ count: Int, props: (_ event: Int) -> UInt32, _ contents: MeasureTable.Contents, hasOneColumn: Bool,
    in columns: inout [Column]
  ) -> Bool {
    var columns = columns.mutableSpan
    var numbers = 0
    for event in 0..<count {
      let content = props(event)
      guard Int(content) < contents.count else { return false }
      if hasOneColumn {
        numbers &+= contents.measurementCount(content)
      } else {
        let items = contents[content]
        for index in 0..<items.count where items[index].column != MeasureTable.none {
          columns[unchecked: Int(items[index].column)].skip(1)
        }
      }
    }
    if hasOneColumn { columns[0].skip(numbers) }
    return true
  }

  /// Makes the next call of ``read(_:props:into:starts:)`` throw, because the `props` codes of skipped events
  /// are unknown.
  mutating func lose() { isLost = true }
}

extension MeasureCursors {
  /// A cursor over the column of one property.
  fileprivate struct Column {
    /// The count of numbers.
    private var count = 0
    /// The index of the next number.
    private var index = 0
    /// The bits of the smallest number, to which encoded integers are added.
    private var smallest: UInt64 = 0
    /// A bit for each number, set if it is a double; `nil` if all numbers are integers.
    private var doubles: BorrowedBits?
    /// The encoded numbers.
    private var numbers = PackedNumbers.empty

    private static let widthOffset = 8
    private static let flagOffset = 12
    private static let smallestOffset = 16

    /// Creates a column without numbers.
    init() {}

    /// Opens the column at the beginning of `bytes`. Returns it with its length, or `nil` if the bytes are invalid.
    static func read(_ bytes: BorrowedBytes) -> (Column, byteCount: Int)? {
      guard bytes.count >= MeasureEncoder.headerBytes else { return nil }
      var column = Column()
      let count = bytes.load(at: 0, as: UInt64.self)
      let flag = bytes.load(at: flagOffset, as: UInt32.self)
      column.smallest = bytes.load(at: smallestOffset, as: UInt64.self)
      // A number takes at least one byte. The multiplications below therefore can't overflow.
      guard let width = NumberWidth(rawValue: Int(bytes.load(at: widthOffset, as: UInt32.self))), count <= UInt64(bytes.count),
        flag == 0 || flag == 1 && width == .eight
      else { return nil }
      column.count = Int(count)
      let bitWords = flag == 0 ? 0 : BitArray.wordCount(ofBits: column.count)
      let start = MeasureEncoder.headerBytes + bitWords * MemoryLayout<UInt64>.size
      let numberBytes = column.count * width.rawValue
      let byteCount = start + IndexFormat.aligned(numberBytes)
      guard bytes.count >= byteCount else { return nil }
      if flag == 1 {
        column.doubles = BorrowedBits(bytes.column(of: UInt64.self, at: MeasureEncoder.headerBytes, count: bitWords))
      }
      column.numbers = PackedNumbers(bytes[start..<start + numberBytes], width: width)
      return (column, byteCount)
    }

    /// Skips numbers. They need not exist: ``next()`` checks.
    @inline(__always)
    mutating func skip(_ numbers: Int) { index &+= numbers }

    /// Returns the next number, or `nil` at the end.
    @inline(__always)
    mutating func next() -> MeasuredNumber? {
      let index = index
      guard index < count else { return nil }
      self.index = index &+ 1
      let word = numbers[index]
      guard let doubles else { return MeasuredNumber(bits: smallest &+ word, isDouble: false) }
      return MeasuredNumber(bits: word, isDouble: doubles[index])
    }
  }
}
