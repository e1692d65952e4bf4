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
  /// The columns; at least one, so that the array has an address.
  private var columns: [Column]
  /// Whether the `props` code of a skipped event was invalid. The positions of the columns are then unknown.
  private var isLost = false

  /// Opens the section of a partition.
  ///
  /// - Throws: `inputOutput` if the section is not that of a run with the table's number of columns.
  init(_ section: UnsafeRawBufferPointer, _ table: MeasureTable) throws(FunnelError) {
    self.table = table
    contents = table.contents
    hasOneColumn = table.hasOneColumn
    columns = Array(repeating: Column(), count: max(table.columnCount, 1))
    guard !section.isEmpty else { return }
    var remainder = section
    for index in 0..<table.columnCount {
      guard let (column, byteCount) = Column.read(remainder) else { throw IndexDamage.error }
      columns[index] = column
      remainder = UnsafeRawBufferPointer(rebasing: remainder[byteCount...])
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
    _ count: Int, props: (_ event: Int) -> UInt32, into measurements: inout GrowingStorage<Measurement>,
    starts: (_ event: Int, UInt32) -> Void
  ) throws(FunnelError) {
    let contents = contents
    let isSound = columns.withUnsafeMutableBufferPointer { columns in
      guard let columns = columns.baseAddress else { return false }
      for event in 0..<count {
        let content = props(event)
        guard Int(content) < contents.count else { return false }
        let items = contents[content]
        if items.isEmpty {
          starts(event, MeasureTable.none)
        } else {
          guard let start = Self.read(items, columns, into: &measurements) else { return false }
          starts(event, start)
        }
      }
      return true
    }
    guard isSound, !isLost else { throw IndexDamage.error }
  }

  /// Appends the measurements of an event, and returns the index of the first one, or ``MeasureTable/none`` if
  /// the target measures none of them. Returns `nil` if a number is missing, or if the index exceeds 32 bits.
  @inline(__always)
  private static func read(
    _ items: UnsafeBufferPointer<MeasureTable.Item>, _ columns: UnsafeMutablePointer<Column>,
    into measurements: inout GrowingStorage<Measurement>
  ) -> UInt32? {
    let start = measurements.count
    guard start < Int(MeasureTable.none) else { return nil }
    for item in items {
      var number = item.number
      if item.column != MeasureTable.none {
        guard let next = columns[Int(item.column)].next() else { return nil }
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
    let contents = contents
    let hasOneColumn = hasOneColumn
    let isSound = columns.withUnsafeMutableBufferPointer { columns in
      guard let columns = columns.baseAddress else { return false }
      var numbers = 0
      for event in 0..<count {
        let content = props(event)
        guard Int(content) < contents.count else { return false }
        if hasOneColumn {
          numbers &+= contents.measurementCount(content)
        } else {
          for item in contents[content] where item.column != MeasureTable.none { columns[Int(item.column)].skip(1) }
        }
      }
      if hasOneColumn { columns[0].skip(numbers) }
      return true
    }
    if !isSound { isLost = true }
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
    private var position = 0
    /// The number of bytes of an encoded number: 1, 2, 4 or 8.
    private var width = 1
    /// The bits of the smallest number, to which encoded integers are added.
    private var smallest: UInt64 = 0
    /// A bit for each number, set if it is a double; `nil` if all numbers are integers.
    private var doubles: UnsafeRawPointer?
    /// The encoded numbers. The address is arbitrary if there are none.
    private var numbers = UnsafeRawPointer(bitPattern: 8)!

    /// Creates a column without numbers.
    init() {}

    /// Opens the column at the beginning of `bytes`. Returns it with its length, or `nil` if the bytes are invalid.
    static func read(_ bytes: UnsafeRawBufferPointer) -> (Column, byteCount: Int)? {
      guard bytes.count >= MeasureEncoder.headBytes, let base = bytes.baseAddress else { return nil }
      var column = Column()
      let count = base.loadUnaligned(as: UInt64.self)
      let flag = base.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
      column.width = Int(base.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
      column.smallest = base.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
      // A number takes at least one byte. The multiplications below therefore can't overflow.
      guard count <= UInt64(bytes.count), flag <= 1, [1, 2, 4, 8].contains(column.width), flag == 0 || column.width == 8 else {
        return nil
      }
      column.count = Int(count)
      let bitWords = (column.count + UInt64.bitWidth - 1) / UInt64.bitWidth
      let bitBytes = flag == 0 ? 0 : bitWords * MemoryLayout<UInt64>.size
      let byteCount = MeasureEncoder.headBytes + bitBytes + IndexFormat.aligned(column.count * column.width)
      guard bytes.count >= byteCount else { return nil }
      column.doubles = flag == 0 ? nil : base + MeasureEncoder.headBytes
      column.numbers = base + MeasureEncoder.headBytes + bitBytes
      return (column, byteCount)
    }

    /// Skips numbers. They need not exist: ``next()`` checks.
    @inline(__always)
    mutating func skip(_ numbers: Int) { position &+= numbers }

    /// Returns the next number, or `nil` at the end.
    @inline(__always)
    mutating func next() -> MeasuredNumber? {
      let index = position
      guard index < count else { return nil }
      position = index &+ 1
      let word: UInt64 =
        switch width {
        case 1: UInt64(numbers.loadUnaligned(fromByteOffset: index, as: UInt8.self))
        case 2: UInt64(numbers.loadUnaligned(fromByteOffset: index &* 2, as: UInt16.self))
        case 4: UInt64(numbers.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self))
        default: numbers.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self)
        }
      guard let doubles else { return MeasuredNumber(bits: smallest &+ word, isDouble: false) }
      let bits = doubles.loadUnaligned(fromByteOffset: index >> 6 &* 8, as: UInt64.self)
      return MeasuredNumber(bits: word, isDouble: bits >> UInt64(truncatingIfNeeded: index & 63) & 1 != 0)
    }
  }
}
