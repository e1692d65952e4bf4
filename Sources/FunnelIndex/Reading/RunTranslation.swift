internal import FunnelIngest
internal import FunnelModel

/// The meanings of one run's codes for one report, computed before its first event is read.
final class RunTranslation: @unchecked Sendable {
  /// The value, in place of a kind, of an event that is not wanted.
  static let unwanted = UInt32.max
  /// Values from here on, in place of a kind, mean that the kind depends on properties; the difference is the index of the table that
  /// decides.
  static let firstConditional: UInt32 = 1 << 31

  /// The kind of each type.
  let kinds: ConstantTable
  private let conditionals: [ContentTable]
  /// The row of the report's segment table for each content of `props` and `ctx`; nil if the report has no segments.
  private let segments: ContentTable?
  /// The contents of `props`, if the report depends on nothing else but types and times; valid as long as the translation.
  let propsContents: PropsContents?
  /// Whether the column `props` has to be read.
  let needsProps: Bool
  /// Whether the column `ctx` has to be read.
  let needsContext: Bool
  /// Whether some event of the run belongs to a flow that counts by attempt.
  let needsAttempts: Bool

  /// The measurements of the events with each content of `props`; nil if the report does not ask for them, or the run measures nothing.
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

  /// Whether the report needs only types and times.
  var isPlain: Bool { conditionals.isEmpty && segments == nil && !needsAttempts }

  /// Returns the kind of an event, or ``unwanted`` if the report is not about it.
  @inline(__always)
  func kind(_ type: Int, props: UInt32, context: UInt32) throws(FunnelError) -> UInt32 {
    let kind = kinds.base[type]
    if kind < Self.firstConditional || kind == Self.unwanted { return kind }
    return try conditionals[Int(kind - Self.firstConditional)].value(props: props, context: context)
  }

  /// Returns the row of an event's dimension values.
  @inline(__always)
  func row(props: UInt32, context: UInt32) throws(FunnelError) -> UInt32 {
    guard let segments else { return 0 }
    return try segments.value(props: props, context: context)
  }
}

/// Numbers that are read very often: access needs no bounds check and no reference counting.
final class ConstantTable: @unchecked Sendable {
  let base: UnsafePointer<UInt32>
  let count: Int

  init(_ numbers: [UInt32]) {
    let memory = UnsafeMutablePointer<UInt32>.allocate(capacity: max(numbers.count, 1))
    for (index, number) in numbers.enumerated() { memory[index] = number }
    base = UnsafePointer(memory)
    count = numbers.count
  }

  deinit { base.deallocate() }
}

/// A number for each combination of `props` and `ctx` contents, which differ only in the keys that matter.
final class ContentTable: Sendable {
  /// The offset at which the numbers of a `props` content begin; nil if `props` does not matter.
  private let startOfProps: ConstantTable?
  /// The offset of a `ctx` content relative to that; nil if `ctx` does not matter.
  private let placeOfContext: ConstantTable?
  private let numbers: ConstantTable
  /// The number of each `props` content if `ctx` does not matter, and `props` does.
  let numbersOfProps: ConstantTable?

  fileprivate init(props: DimensionProjection, context: DimensionProjection, numbers: [UInt32]) {
    let width = UInt32(context.count)
    startOfProps = props.isTrivial ? nil : ConstantTable(props.combinationOfRow.map { $0 * width })
    placeOfContext = context.isTrivial ? nil : ConstantTable(context.combinationOfRow)
    self.numbers = ConstantTable(numbers)
    numbersOfProps =
      props.isTrivial || !context.isTrivial ? nil : ConstantTable(props.combinationOfRow.map { numbers[Int($0)] })
  }

  var readsProps: Bool { startOfProps != nil }
  var readsContext: Bool { placeOfContext != nil }

  /// Returns the number of a pair of contents.
  @inline(__always)
  func value(props: UInt32, context: UInt32) throws(FunnelError) -> UInt32 {
    var place = 0
    if let startOfProps {
      guard props < startOfProps.count else { throw IndexDamage.error }
      place = Int(startOfProps.base[Int(props)])
    }
    if let placeOfContext {
      guard context < placeOfContext.count else { throw IndexDamage.error }
      place &+= Int(placeOfContext.base[Int(context)])
    }
    return numbers.base[place]
  }
}

/// The rows of dimension values of events in which a flow changes some properties.
struct ChangedRows: Sendable {
  /// The changed rows by code, then by the row of the values as logged.
  private let rows: [UInt32: [UInt32]]

  fileprivate init(_ rows: [UInt32: [UInt32]]) { self.rows = rows }

  var isEmpty: Bool { rows.isEmpty }

  /// Returns the row as the flow of a code reads it.
  @inline(__always)
  func row(_ row: UInt32, ofKind code: UInt32) -> UInt32 { rows[code]?[Int(row)] ?? row }
}

/// Computes the translations of all runs for one report.
struct RunTranslator {
  private let question: IndexRequest
  private var resolver: FlowResolver
  private(set) var kinds = EventClassTable()
  private(set) var segments: SegmentTable
  /// The keys of the properties that the runs measure, if the report asks for all properties.
  private(set) var measuredKeys: [[UInt8]] = []
  /// The flow versions that fold events of the run being translated, as indices in the catalog.
  private var flowsOfRun: Set<Int> = []

  init(_ question: IndexRequest) {
    self.question = question
    resolver = FlowResolver(
      catalog: question.catalog, dimensions: question.dimensions, details: question.needs.details, flows: question.flows)
    segments = SegmentTable(dimensions: question.dimensions)
  }

  /// Returns the translation of a run, or nil if the report needs something that the run has not indexed.
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
    guard !question.dimensions.isEmpty else {
      return RunTranslation(
        kinds: kinds, conditionals: conditionals, segments: nil, measures: nil, needsAttempts: needsAttempts)
    }
    guard let segments = try segments(dictionaries) else { return nil }
    return RunTranslation(
      kinds: kinds, conditionals: conditionals, segments: segments,
      measures: question.asksForAllProps ? measures(try dictionaries.ofProps()) : nil, needsAttempts: needsAttempts)
  }

  /// Returns the code of an event's meaning to the flows of the report, or ``RunTranslation/unwanted`` if none of them folds it.
  private mutating func kind(_ resolution: FlowResolver.Resolution, _ needsAttempts: inout Bool) -> UInt32 {
    let claims = resolver.meanings[Int(resolution.meaning)]
    guard !claims.isEmpty else { return RunTranslation.unwanted }
    for claim in claims { flowsOfRun.insert(Int(claim.entry.flow)) }
    needsAttempts = needsAttempts || claims.contains { question.countsByAttempt[Int($0.entry.flow)] }
    return kinds.code(of: claims)
  }

  /// The properties that no flow of the run needs, so that it does not matter whether the run has indexed them.
  private var dispensableKeys: Set<String> {
    let flows = Set(flowsOfRun.map { question.catalog.definitions[$0].reference })
    return Set(
      question.dimensions.compactMap { dimension in
        guard case .property(let key) = dimension, !question.isAsked(dimension),
          !question.needs.needs(dimension, forAnyOf: flows)
        else { return nil }
        return key
      })
  }

  private mutating func conditional(
    _ text: OwnedTypeText, _ keys: MeaningKeys, _ dictionaries: DictionariesOnDemand, _ needsAttempts: inout Bool
  ) throws(FunnelError) -> ContentTable? {
    guard let (props, context) = try dictionaries.projections(props: keys.props, context: keys.context) else { return nil }
    var codes: [UInt32] = []
    for prop in 0..<props.count {
      for field in 0..<context.count {
        let resolution = props.withMembers(prop) { props in
          context.withMembers(field) { context in
            text.withEvent(props: props, context: context) { resolver.resolve($0) }
          }
        }
        codes.append(kind(resolution, &needsAttempts))
      }
    }
    return ContentTable(props: props, context: context, numbers: codes)
  }

  /// Returns the measurements of the events with each content of a run, or nil if it measures nothing.
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

  /// Adds a changed copy of every row for each kind whose flow changes some properties. Returns nil if there would be too many, or if one
  /// of the properties is measured, because a measurement can't be changed.
  mutating func changedRows() -> ChangedRows? {
    let rowCount = segments.count
    let changesMeasures = kinds.changedProps.values.contains { props in
      props.keys.contains { key in measuredKeys.contains { $0.elementsEqual(key.utf8) } }
    }
    guard !changesMeasures, kinds.changedProps.count * rowCount <= IndexLimits.combinationsMax else { return nil }
    // Many kinds change the same, and to change a row takes its time.
    var rowsOfChange: [[String: PropertyValue]: [UInt32]] = [:]
    for (_, props) in kinds.changedProps.sorted(by: { $0.key < $1.key }) where rowsOfChange[props] == nil {
      rowsOfChange[props] = (0..<UInt32(rowCount)).map { segments.append($0, with: props) }
    }
    return ChangedRows(kinds.changedProps.compactMapValues { rowsOfChange[$0] })
  }

  private mutating func segments(_ dictionaries: DictionariesOnDemand) throws(FunnelError) -> ContentTable? {
    guard
      let (props, context) = try dictionaries.projections(
        props: question.propsKeys, context: question.contextKeys, allProps: question.asksForAllProps,
        dispensable: dispensableKeys)
    else { return nil }
    var rows: [UInt32] = []
    for prop in 0..<props.count {
      let members = props.members(prop)
      let propsValues = question.dimensions.map { dimension -> PropertyValue? in
        switch dimension {
        case .property(let key): members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value ?? .null
        case .properties: PropertiesText.encode(members)
        case .context, .day, .week, .month, .hour, .weekday, .version, .subject, .step: nil
        }
      }
      for field in 0..<context.count {
        var contextRest = context.values(field)[...]
        let row = propsValues.map { $0 ?? contextRest.popFirst() ?? .null }
        rows.append(segments.append(row))
      }
    }
    return ContentTable(props: props, context: context, numbers: rows)
  }
}

/// A run's dictionaries of contents, read on first use: most reports do not need them.
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

  /// Returns the projections on keys, or nil if the contents lack the values of a key or there are too many combinations.
  ///
  /// - Parameter allProps: Whether the projection of `props` has all other keys too.
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

/// An event type that owns its bytes, to be resolved.
private struct OwnedTypeText {
  let bytes: [UInt8]

  init?(_ bytes: [UInt8]) {
    guard bytes.withUnsafeBytes({ EventTypeText($0) != nil }) else { return nil }
    self.bytes = bytes
  }

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
