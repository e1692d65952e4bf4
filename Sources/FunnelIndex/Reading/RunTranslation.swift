internal import FunnelIngest
internal import FunnelModel

/// A translation of the dictionary codes of one sorted run to the event classes and segments of one report.
///
/// It is computed before the first event of the run is read.
final class RunTranslation: @unchecked Sendable {
  /// The value instead of an event class ID for an event that the report does not use.
  static let unwanted = UInt32.max
  /// The first of the values that are used instead of an event class ID if the class depends on `props` or
  /// `ctx`. The difference from it is the index of a table of event class IDs.
  static let firstConditional: UInt32 = 1 << 31

  /// The event class ID of each type code, ``unwanted``, or a value from ``firstConditional`` on.
  let kinds: ConstantTable
  /// The event class IDs by content, for types whose event class depends on it.
  private let conditionals: [ContentTable]
  /// The row of the report's segment table by content; `nil` if the report has no segments.
  private let segments: ContentTable?
  /// The translation of `props` codes if the report depends only on types, times and `props`, otherwise `nil`.
  /// Valid as long as this object.
  let propsContents: PropsContents?
  /// Whether the column `props` has to be read.
  let needsProps: Bool
  /// Whether the column `ctx` has to be read.
  let needsContext: Bool
  /// Whether some events of the run belong to a flow that counts by attempt.
  let needsAttempts: Bool

  /// The measurements by `props` code; `nil` if the report does not use them, or the run measures no property.
  let measures: MeasureTable?

  fileprivate init(
    kinds: [UInt32], conditionals: [ContentTable], segments: ContentTable?, measures: MeasureTable?, needsAttempts: Bool
  ) {
    self.measures = measures
    self.needsAttempts = needsAttempts
    self.kinds = ConstantTable(kinds)
    self.conditionals = conditionals
    self.segments = segments
    let tables = conditionals + (segments.map { [$0] } ?? [])
    needsProps = measures != nil || tables.contains { $0.readsProps }
    needsContext = tables.contains { $0.readsContext }
    propsContents = PropsContents(kinds: self.kinds, conditionals: conditionals, segments: segments)
  }

  deinit { propsContents?.kindsOfContents.deallocate() }

  /// Whether the report depends only on types and times.
  var isPlain: Bool { conditionals.isEmpty && segments == nil && !needsAttempts }

  /// Returns the event class ID of an event, or ``unwanted``.
  ///
  /// - Throws: `inputOutput` if a code is out of range.
  @inline(__always)
  func kind(_ type: Int, props: UInt32, context: UInt32) throws(FunnelError) -> UInt32 {
    let kind = kinds.base[type]
    if kind < Self.firstConditional || kind == Self.unwanted { return kind }
    return try conditionals[Int(kind - Self.firstConditional)].value(props: props, context: context)
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

/// An immutable array whose elements are accessed without bounds checks and reference counting.
final class ConstantTable: @unchecked Sendable {
  /// The address of the first number, valid as long as the table.
  let base: UnsafePointer<UInt32>
  /// The count of numbers.
  let count: Int

  /// Copies numbers.
  init(_ numbers: [UInt32]) {
    let memory = UnsafeMutablePointer<UInt32>.allocate(capacity: max(numbers.count, 1))
    for (index, number) in numbers.enumerated() { memory[index] = number }
    base = UnsafePointer(memory)
    count = numbers.count
  }

  deinit { base.deallocate() }
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

  fileprivate init(props: DimensionProjection, context: DimensionProjection, numbers: [UInt32]) {
    let width = UInt32(context.count)
    startOfProps = props.isTrivial ? nil : ConstantTable(props.combinationOfRow.map { $0 * width })
    offsetOfContext = context.isTrivial ? nil : ConstantTable(context.combinationOfRow)
    self.numbers = ConstantTable(numbers)
    numbersOfProps =
      props.isTrivial || !context.isTrivial ? nil : ConstantTable(props.combinationOfRow.map { numbers[Int($0)] })
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
      guard props < startOfProps.count else { throw IndexDamage.error }
      index = Int(startOfProps.base[Int(props)])
    }
    if let offsetOfContext {
      guard context < offsetOfContext.count else { throw IndexDamage.error }
      index &+= Int(offsetOfContext.base[Int(context)])
    }
    return numbers.base[index]
  }
}

/// The segment rows of events in which a flow changes the values of properties.
struct ChangedRows: Sendable {
  /// The changed row, by event class ID and then by the row of the logged values.
  private let rows: [UInt32: [UInt32]]

  fileprivate init(_ rows: [UInt32: [UInt32]]) { self.rows = rows }

  /// Whether no flow changes a property.
  var isEmpty: Bool { rows.isEmpty }

  /// Returns the row of an event with the values that the flow of its event class gives it.
  @inline(__always)
  func row(_ row: UInt32, ofKind classID: UInt32) -> UInt32 { rows[classID]?[Int(row)] ?? row }
}

/// A translator of sorted runs for one report, which assigns event class IDs and segment rows across all runs.
struct RunTranslator {
  private let request: IndexRequest
  private var resolver: FlowResolver
  /// The event classes of the runs translated so far.
  private(set) var kinds = EventClassTable()
  /// The segments of the runs translated so far.
  private(set) var segments: SegmentTable
  /// The keys of the properties that the runs measure. Empty unless the report uses all properties.
  private(set) var measuredKeys: [[UInt8]] = []
  /// The flow versions that use events of the run being translated, as indices in the catalog.
  private var flowsOfRun: Set<Int> = []

  /// Creates a translator for a report.
  init(_ request: IndexRequest) {
    self.request = request
    resolver = FlowResolver(
      catalog: request.catalog, dimensions: request.dimensions, details: request.needs.details, flows: request.flows)
    segments = SegmentTable(dimensions: request.dimensions)
  }

  /// Returns the translation of a run, or `nil` if the report needs a key that the run has not indexed, or has
  /// too many combinations.
  ///
  /// - Throws: `inputOutput` if the run is damaged.
  mutating func translation(of run: SortedRun) throws(FunnelError) -> RunTranslation? {
    let dictionaries = DictionariesOnDemand(run)
    var kinds = Array(repeating: RunTranslation.unwanted, count: run.types.count)
    var conditionals: [ContentTable] = []
    var needsAttempts = false
    flowsOfRun.removeAll()
    for (code, type) in run.types.enumerated() {
      guard let text = OwnedTypeText(type) else { throw IndexDamage.error }
      let keys = text.withEvent { resolver.keys(of: $0) }
      if keys.isEmpty {
        kinds[code] = kind(text.withEvent { resolver.resolve($0) }, &needsAttempts)
      } else {
        guard let conditional = try conditional(text, keys, dictionaries, &needsAttempts) else { return nil }
        kinds[code] = RunTranslation.firstConditional + UInt32(conditionals.count)
        conditionals.append(conditional)
      }
    }
    guard !request.dimensions.isEmpty else {
      return RunTranslation(
        kinds: kinds, conditionals: conditionals, segments: nil, measures: nil, needsAttempts: needsAttempts)
    }
    guard let segments = try segments(dictionaries) else { return nil }
    return RunTranslation(
      kinds: kinds, conditionals: conditionals, segments: segments,
      measures: request.asksForAllProps ? measures(try dictionaries.ofProps()) : nil, needsAttempts: needsAttempts)
  }

  /// Returns the event class ID of an event, or ``RunTranslation/unwanted`` if no flow of the report uses it.
  private mutating func kind(_ resolution: FlowResolver.Resolution, _ needsAttempts: inout Bool) -> UInt32 {
    let matches = resolver.meanings[Int(resolution.meaning)]
    guard !matches.isEmpty else { return RunTranslation.unwanted }
    for match in matches { flowsOfRun.insert(Int(match.entry.flow)) }
    needsAttempts = needsAttempts || matches.contains { request.countsByAttempt[Int($0.entry.flow)] }
    return kinds.code(of: matches)
  }

  /// The property keys of the report that no flow of the run needs. The run need not have indexed them.
  private var dispensableKeys: Set<String> {
    let flows = Set(flowsOfRun.map { request.catalog.definitions[$0].reference })
    return Set(
      request.dimensions.compactMap { dimension in
        guard case .property(let key) = dimension, !request.isAsked(dimension),
          !request.needs.needs(dimension, forAnyOf: flows)
        else { return nil }
        return key
      })
  }

  /// Returns the event class IDs of one event type by content, or `nil` if the run has not indexed one of
  /// `keys`, or if there are too many combinations.
  private mutating func conditional(
    _ text: OwnedTypeText, _ keys: MeaningKeys, _ dictionaries: DictionariesOnDemand, _ needsAttempts: inout Bool
  ) throws(FunnelError) -> ContentTable? {
    guard let (props, context) = try dictionaries.projections(props: keys.props, context: keys.context) else { return nil }
    var classIDs: [UInt32] = []
    for prop in 0..<props.count {
      for field in 0..<context.count {
        let resolution = props.withMembers(prop) { props in
          context.withMembers(field) { context in
            text.withEvent(props: props, context: context) { resolver.resolve($0) }
          }
        }
        classIDs.append(kind(resolution, &needsAttempts))
      }
    }
    return ContentTable(props: props, context: context, numbers: classIDs)
  }

  /// Returns the measurements by `props` code, or `nil` if the run measures no property.
  private mutating func measures(_ dictionary: DimensionDictionary) -> MeasureTable? {
    var columnCount: UInt32 = 0
    let items = dictionary.cells.map { cell -> MeasureTable.Item? in
      cell.withUnsafeBytes { bytes in
        guard let cell = DimensionCell.read(bytes)?.cell, cell.value == nil else { return nil }
        let measure = measuredKeys.firstIndex { cell.key.elementsEqual($0) } ?? measuredKeys.count
        if measure == measuredKeys.count { measuredKeys.append(Array(cell.key)) }
        defer { columnCount += 1 }
        return .inColumn(columnCount, of: UInt32(measure))
      }
    }
    return columnCount == 0 ? nil : MeasureTable(dictionary, itemOfCell: items)
  }

  /// Adds a changed copy of every segment row for each event class whose flow changes properties.
  ///
  /// - Returns: `nil` if there would be too many rows, or if one of the properties is measured: a measurement
  ///   can't be changed.
  mutating func changedRows() -> ChangedRows? {
    let rowCount = segments.count
    let changesMeasures = kinds.changedProps.values.contains { props in
      props.keys.contains { key in measuredKeys.contains { $0.elementsEqual(key.utf8) } }
    }
    guard !changesMeasures, kinds.changedProps.count * rowCount <= IndexLimits.combinationsMax else { return nil }
    // Many event classes change the same properties. Each change is computed once, because it is slow.
    var rowsOfChange: [[String: PropertyValue]: [UInt32]] = [:]
    for (_, props) in kinds.changedProps.sorted(by: { $0.key < $1.key }) where rowsOfChange[props] == nil {
      rowsOfChange[props] = (0..<UInt32(rowCount)).map { segments.append($0, with: props) }
    }
    return ChangedRows(kinds.changedProps.compactMapValues { rowsOfChange[$0] })
  }

  /// Returns the segment rows by content, or `nil` if the run has not indexed a key, or if there are too many
  /// combinations.
  private mutating func segments(_ dictionaries: DictionariesOnDemand) throws(FunnelError) -> ContentTable? {
    guard
      let (props, context) = try dictionaries.projections(
        props: request.propsKeys, context: request.contextKeys, allProps: request.asksForAllProps,
        dispensable: dispensableKeys)
    else { return nil }
    var rows: [UInt32] = []
    for prop in 0..<props.count {
      let members = props.members(prop)
      let propsValues = request.dimensions.map { dimension -> PropertyValue? in
        switch dimension {
        case .property(let key): members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value ?? .null
        case .properties: PropertiesText.encode(members)
        case .context, .day, .week, .month, .hour, .weekday, .version, .subject, .step: nil
        }
      }
      for field in 0..<context.count {
        // The remaining dimensions are those of `ctx`, in the order of its keys.
        var contextValues = context.values(field)[...]
        let row = propsValues.map { $0 ?? contextValues.popFirst() ?? .null }
        rows.append(segments.append(row))
      }
    }
    return ContentTable(props: props, context: context, numbers: rows)
  }
}

/// The `props` and `ctx` dictionaries of a run, decoded on first use. Most reports need neither.
private final class DictionariesOnDemand {
  private let run: SortedRun
  private var props: DimensionDictionary?
  private var context: DimensionDictionary?

  init(_ run: SortedRun) {
    self.run = run
  }

  /// Returns the dictionary of `props`.
  func ofProps() throws(FunnelError) -> DimensionDictionary {
    if let props { return props }
    let read = try run.propsDictionary()
    props = read
    return read
  }

  /// Returns the projections on keys, or `nil` if the run has not indexed a key, or if there are too many combinations.
  ///
  /// - Parameters:
  ///   - allProps: Whether the projection of `props` includes all other keys too.
  ///   - dispensable: Property keys that the run need not have indexed.
  func projections(
    props propsKeys: [String], context contextKeys: [String], allProps: Bool = false, dispensable: Set<String> = []
  ) throws(FunnelError) -> (props: DimensionProjection, context: DimensionProjection)? {
    var result = (props: DimensionProjection.trivial, context: DimensionProjection.trivial)
    if !propsKeys.isEmpty || allProps {
      let dictionary = try ofProps()
      guard
        let projection = allProps
          ? DimensionProjection(wholeOf: dictionary, keys: propsKeys, dispensable: dispensable)
          : DimensionProjection(dictionary, keys: propsKeys, dispensable: dispensable)
      else { return nil }
      result.props = projection
    }
    if !contextKeys.isEmpty {
      let dictionary = if let context { context } else { try run.contextDictionary() }
      context = dictionary
      guard let projection = DimensionProjection(dictionary, keys: contextKeys) else { return nil }
      result.context = projection
    }
    return result.props.count * result.context.count <= IndexLimits.combinationsMax ? result : nil
  }
}

/// A valid ``EventTypeText`` that owns its bytes.
private struct OwnedTypeText {
  let bytes: [UInt8]

  init?(_ bytes: [UInt8]) {
    guard bytes.withUnsafeBytes({ EventTypeText($0) != nil }) else { return nil }
    self.bytes = bytes
  }

  /// Calls `body` with an event of the type, valid only during the call.
  func withEvent<Result>(
    props: [EventMember] = [], context: [EventMember] = [], _ body: (EventFields) -> Result
  ) -> Result {
    bytes.withUnsafeBytes { bytes in
      let text = EventTypeText(bytes)!
      return EventFields.withStored(
        app: text.app, name: text.name, flow: text.flow, flowVersion: text.flowVersion, step: text.step, props: props,
        context: context, body)
    }
  }
}
