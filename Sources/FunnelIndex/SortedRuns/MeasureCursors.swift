internal import FunnelModel

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
  private var columns: [MeasureColumn]
  /// Whether the `props` code of a skipped event was invalid. The positions of the columns are then unknown.
  private var isLost = false

  /// Opens the section of a partition.
  ///
  /// - Throws: `inputOutput` if the section is not that of a run with the table's number of columns.
  init(_ section: BorrowedBytes, _ table: MeasureTable) throws(FunnelError) {
    self.table = table
    contents = table.contents
    hasOneColumn = table.hasOneColumn
    columns = Array(repeating: MeasureColumn(), count: max(table.columnCount, 1))
    guard !section.isEmpty else { return }
    var remainder = section
    for index in 0..<table.columnCount {
      guard let (column, byteCount) = MeasureColumn.read(remainder) else { throw FunnelError.damagedIndex }
      columns[index] = column
      remainder = remainder.dropFirst(byteCount)
    }
    guard remainder.isEmpty else { throw FunnelError.damagedIndex }
  }

  /// Appends the measurements of a subject's events.
  ///
  /// - Parameters:
  ///   - count: The number of the subject's events.
  ///   - props: Returns the `props` code of each event.
  ///   - starts: Receives for each event the index of its first measurement, or ``EventMeasurements/none`` if it has none.
  /// - Throws: `inputOutput` if the `props` code of an event is invalid, also of one that was skipped, or if
  ///   numbers are missing.
  @inline(__always)
  mutating func read(
    _ count: Int, props: (_ event: Int) -> UInt32, into measurements: inout UniqueArray<Measurement>,
    starts: (_ event: Int, UInt32) -> Void
  ) throws(FunnelError) {
    guard !isLost else { throw FunnelError.damagedIndex }
    let contents = contents
    var columns = columns.mutableSpan
    for event in 0..<count {
      let content = props(event)
      guard Int(content) < contents.count else { throw FunnelError.damagedIndex }
      let items = contents[content]
      if items.isEmpty {
        starts(event, EventMeasurements.none)
      } else {
        guard let start = Self.read(items, &columns, into: &measurements) else { throw FunnelError.damagedIndex }
        starts(event, start)
      }
    }
  }

  /// Appends the measurements of an event, and returns the index of the first one, or ``EventMeasurements/none`` if
  /// the target measures none of them. Returns `nil` if a number is missing, or if the index exceeds 32 bits.
  @inline(__always)
  private static func read(
    _ items: BorrowedColumn<MeasureTable.Item>, _ columns: inout MutableSpan<MeasureColumn>,
    into measurements: inout UniqueArray<Measurement>
  ) -> UInt32? {
    let start = measurements.count
    guard start < Int(EventMeasurements.none) else { return nil }
    for index in 0..<items.count {
      let item = items[index]
      let number: MeasuredNumber
      switch item.source {
      case .content(let known): number = known
      case .column(let column):
        assert(Int(column) < columns.count, "a table has no more columns than its run")
        guard let next = columns[unchecked: Int(column)].next() else { return nil }
        number = next
      }
      if let measure = item.measure { measurements.append(Measurement(number, of: measure, isLast: item.isLast)) }
    }
    return measurements.count == start ? EventMeasurements.none : UInt32(truncatingIfNeeded: start)
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
    in columns: inout [MeasureColumn]
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
        for index in 0..<items.count {
          guard case .column(let column) = items[index].source else { continue }
          assert(Int(column) < columns.count, "a table has no more columns than its run")
          columns[unchecked: Int(column)].skip(1)
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

/// A cursor over the column of one property.
struct MeasureColumn {
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
  static func read(_ bytes: BorrowedBytes) -> (MeasureColumn, byteCount: Int)? {
    guard bytes.count >= MeasureEncoder.headerBytes else { return nil }
    var column = MeasureColumn()
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
