internal import FunnelModel

/// Reads the section `measures` of a partition (``MeasureEncoder``) event by event.
///
/// The cursors must pass all events in order, with the code of each one's `props`, because the contents decide which columns have a number
/// for an event.
struct MeasureCursors {
  /// Keeps the contents alive.
  private let table: MeasureTable
  private let contents: MeasureTable.Contents
  private let hasOneColumn: Bool
  private var columns: [Column]
  /// Whether a skipped event had no content, so that the places of the columns are unknown.
  private var isLost = false

  /// Opens the section of a partition.
  ///
  /// - Throws: `inputOutput` if the section is not that of a run with the table's number of columns.
  init(_ section: UnsafeRawBufferPointer, _ table: MeasureTable) throws(FunnelError) {
    self.table = table
    contents = table.contents
    hasOneColumn = table.hasOneColumn
    // There is at least one column, also of a run that measures nothing, so that the columns have an address.
    columns = Array(repeating: Column(), count: max(table.columnCount, 1))
    guard !section.isEmpty else { return }
    var rest = section
    for index in 0..<table.columnCount {
      guard let (column, byteCount) = Column.read(rest) else { throw IndexDamage.error }
      columns[index] = column
      rest = UnsafeRawBufferPointer(rebasing: rest[byteCount...])
    }
    guard rest.isEmpty else { throw IndexDamage.error }
  }

  /// Appends the measurements of a subject's events.
  ///
  /// - Parameters:
  ///   - props: Returns the code of the `props` of each event.
  ///   - starts: Receives for each event the index of its first measurement, or ``MeasureTable/none`` if it has none.
  /// - Throws: `inputOutput` if the code of an event, also of one that was skipped, is not that of a content, or if numbers are missing.
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

  /// Appends the measurements of an event, and returns the index of the first, or ``MeasureTable/none`` if the target has none of them.
  /// Returns nil if a number is missing, or if one subject has more measurements than an index of 32 bits reaches.
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
  @inline(__always)
  mutating func skip(_ count: Int, props: (_ event: Int) -> UInt32) {
    let (contents, hasOneColumn) = (contents, hasOneColumn)
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

  /// Makes the next reading fail, because events were passed whose contents are unknown.
  mutating func lose() { isLost = true }
}

extension MeasureCursors {
  /// The column of one property.
  fileprivate struct Column {
    private var count = 0
    private var place = 0
    private var width = 1
    private var smallest: UInt64 = 0
    /// A bit for each number, set if it is a double; nil if none is.
    private var doubles: UnsafeRawPointer?
    /// The numbers; any address if there are none, because nothing is read from it then.
    private var numbers = UnsafeRawPointer(bitPattern: 8)!

    /// A column without numbers.
    init() {}

    /// Reads the column at the beginning of bytes. Returns it with its length, or nil if the bytes are invalid.
    static func read(_ bytes: UnsafeRawBufferPointer) -> (Column, byteCount: Int)? {
      guard bytes.count >= MeasureEncoder.headBytes, let base = bytes.baseAddress else { return nil }
      var column = Column()
      let count = base.loadUnaligned(as: UInt64.self)
      let flag = base.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
      column.width = Int(base.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
      column.smallest = base.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
      // A number takes at least a byte, so the multiplications below can't overflow.
      guard count <= UInt64(bytes.count), flag <= 1, [1, 2, 4, 8].contains(column.width), flag == 0 || column.width == 8 else {
        return nil
      }
      column.count = Int(count)
      let bitBytes = flag == 0 ? 0 : (column.count + 63) / 64 * 8
      let byteCount = MeasureEncoder.headBytes + bitBytes + (column.count * column.width + 7) / 8 * 8
      guard bytes.count >= byteCount else { return nil }
      column.doubles = flag == 0 ? nil : base + MeasureEncoder.headBytes
      column.numbers = base + MeasureEncoder.headBytes + bitBytes
      return (column, byteCount)
    }

    @inline(__always)
    mutating func skip(_ numbers: Int) { place &+= numbers }

    /// Returns the next number, or nil if there is none.
    @inline(__always)
    mutating func next() -> MeasuredNumber? {
      let index = place
      guard index < count else { return nil }
      place = index &+ 1
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
