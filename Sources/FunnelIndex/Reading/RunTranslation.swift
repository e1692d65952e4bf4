internal import FunnelDecoding
internal import FunnelModel

/// A translation of the dictionary codes of one sorted run to the event classes and segments of one report.
///
/// It is computed before the first event of the run is read.
final class RunTranslation: Sendable {
  /// The value instead of an event class ID for an event that the report does not use.
  static let unwanted = UInt32.max
  /// The first of the values that are used instead of an event class ID if the class depends on `props` or
  /// `ctx`. The difference from it is the index of a table of event class IDs.
  static let firstConditional: UInt32 = 1 << 31

  /// The event class ID of each type code, ``unwanted``, or a value from ``firstConditional`` on.
  let classIDs: ConstantTable
  /// The event class IDs by content, for types whose event class depends on it.
  private let conditionals: [ContentTable]
  /// The row of the report's segment table by content; `nil` if the report has no segments.
  private let segments: ContentTable?
  /// The translation of `props` codes if the report depends only on types, times and `props`, otherwise `nil`.
  /// Valid as long as this object.
  let propsContents: PropsContents?
  /// The memory of ``propsContents``.
  private let conditionalColumns: UniqueArray<BorrowedColumn<UInt32>>
  /// Whether the column `props` has to be read.
  let needsProps: Bool
  /// Whether the column `ctx` has to be read.
  let needsContext: Bool
  /// Whether some events of the run belong to a flow that counts by attempt.
  let needsAttempts: Bool

  /// The measurements by `props` code; `nil` if the report does not use them, or the run measures no property.
  let measures: MeasureTable?

  init(
    classIDs: [UInt32], conditionals: [ContentTable], segments: ContentTable?, measures: MeasureTable?, needsAttempts: Bool
  ) {
    self.measures = measures
    self.needsAttempts = needsAttempts
    self.classIDs = ConstantTable(classIDs)
    self.conditionals = conditionals
    self.segments = segments
    let tables = conditionals + (segments.map { [$0] } ?? [])
    needsProps = measures != nil || tables.contains { $0.readsProps }
    needsContext = tables.contains { $0.readsContext }
    let columns = UniqueArray(conditionals.compactMap(\.numbersOfProps?.numbers))
    propsContents = PropsContents(
      classIDs: self.classIDs, conditionals: conditionals, columns: columns.elements, segments: segments)
    conditionalColumns = columns
  }

  /// Whether the report depends only on types and times.
  var isPlain: Bool { conditionals.isEmpty && segments == nil && !needsAttempts }

  /// Returns the event class ID of an event, or ``unwanted``.
  ///
  /// - Throws: `inputOutput` if a code is out of range.
  @inline(__always)
  func classID(_ type: Int, props: UInt32, context: UInt32) throws(FunnelError) -> UInt32 {
    let classID = classIDs.numbers[type]
    if classID < Self.firstConditional || classID == Self.unwanted { return classID }
    return try conditionals[Int(classID - Self.firstConditional)].value(props: props, context: context)
  }

  /// Returns the row of the segment table for an event, or 0 if the report has no segments.
  ///
  /// - Throws: `inputOutput` if a code is out of range.
  @inline(__always)
  func row(props: UInt32, context: UInt32) throws(FunnelError) -> UInt32 {
    guard let segments else { return 0 }
    return try segments.value(props: props, context: context)
  }
}

/// A function from pairs of `props` and `ctx` codes to numbers, stored as a table of the combinations of relevant keys.
final class ContentTable: Sendable {
  /// For each `props` code the index of its first number; `nil` if the numbers do not depend on `props`.
  private let startOfProps: ConstantTable?
  /// For each `ctx` code the index relative to that of `props`; `nil` if the numbers do not depend on `ctx`.
  private let offsetOfContext: ConstantTable?
  private let numbers: ConstantTable
  /// The number for each `props` code if the numbers depend on `props` alone, otherwise `nil`.
  let numbersOfProps: ConstantTable?

  init(props: DimensionProjection, context: DimensionProjection, numbers: [UInt32]) {
    precondition(numbers.count == props.count * context.count, "each combination has a number")
    let width = UInt32(context.count)
    startOfProps = props.isTrivial ? nil : ConstantTable(props.combinationOfContent.map { $0 * width })
    offsetOfContext = context.isTrivial ? nil : ConstantTable(context.combinationOfContent)
    self.numbers = ConstantTable(numbers)
    numbersOfProps =
      props.isTrivial || !context.isTrivial ? nil : ConstantTable(props.combinationOfContent.map { numbers[Int($0)] })
  }

  /// Whether the numbers depend on `props`.
  var readsProps: Bool { startOfProps != nil }
  /// Whether the numbers depend on `ctx`.
  var readsContext: Bool { offsetOfContext != nil }

  /// Returns the number for a pair of codes.
  ///
  /// - Throws: `inputOutput` if a code is out of range.
  @inline(__always)
  func value(props: UInt32, context: UInt32) throws(FunnelError) -> UInt32 {
    var index = 0
    if let startOfProps {
      guard props < startOfProps.count else { throw FunnelError.damagedIndex }
      index = Int(startOfProps.numbers[Int(props)])
    }
    if let offsetOfContext {
      guard context < offsetOfContext.count else { throw FunnelError.damagedIndex }
      index &+= Int(offsetOfContext.numbers[Int(context)])
    }
    return numbers.numbers[index]
  }
}

/// The segment rows of events in which a flow changes the values of properties.
struct ChangedRows: Sendable {
  /// The changed row, by event class ID and then by the row of the logged values.
  private let rows: [UInt32: [UInt32]]

  init(_ rows: [UInt32: [UInt32]]) { self.rows = rows }

  /// Whether no flow changes a property.
  var isEmpty: Bool { rows.isEmpty }

  /// Returns the row of an event with the values that the flow of its event class gives it.
  @inline(__always)
  func row(_ row: UInt32, ofClass classID: UInt32) -> UInt32 { rows[classID]?[Int(row)] ?? row }
}

/// A translation of the `props` codes of a run, for a report that depends only on types, times and `props`.
struct PropsContents: BitwiseCopyable {
  /// The value of each type code in ``RunTranslation/classIDs``.
  private let classIDs: BorrowedColumn<UInt32>
  /// For each conditional value, the event class IDs by `props` code.
  private let conditionals: BorrowedColumn<BorrowedColumn<UInt32>>
  /// The segment row of each `props` code.
  let rows: BorrowedColumn<UInt32>
  /// The number of `props` codes.
  let count: Int

  /// Creates a translation from tables, which must outlive it. Returns `nil` if one of them depends on `ctx`,
  /// or does not depend on `props`.
  ///
  /// - Parameter columns: The event class IDs by `props` code of each conditional table.
  init?(
    classIDs: ConstantTable, conditionals: [ContentTable], columns: BorrowedColumn<BorrowedColumn<UInt32>>,
    segments: ContentTable?
  ) {
    guard let rows = segments?.numbersOfProps, conditionals.allSatisfy({ $0.numbersOfProps?.count == rows.count }) else {
      return nil
    }
    assert(columns.count == conditionals.count, "each conditional table has a column")
    self.classIDs = classIDs.numbers
    self.conditionals = columns
    self.rows = rows.numbers
    count = rows.count
  }

  /// Returns the event class ID of an event, or ``RunTranslation/unwanted``.
  @inline(__always)
  func classID(ofType type: UInt8, content: Int) -> UInt32 {
    let classID = classIDs[Int(type)]
    if classID < RunTranslation.firstConditional || classID == RunTranslation.unwanted { return classID }
    return conditionals[Int(classID &- RunTranslation.firstConditional)][content]
  }
}
