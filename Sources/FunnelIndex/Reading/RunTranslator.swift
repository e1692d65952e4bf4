internal import FunnelDecoding
internal import FunnelModel

/// A translator of sorted runs for one report, which assigns event class IDs and segment rows across all runs.
struct RunTranslator {
  private let request: IndexRequest
  private var resolver: FlowMatcher
  /// The event classes of the runs translated so far.
  private(set) var eventClasses = EventClassTable()
  /// The segments of the runs translated so far.
  private(set) var segments: SegmentTable
  /// The keys of the properties that the runs measure. Empty unless the report uses all properties.
  private(set) var measuredKeys: [[UInt8]] = []
  /// The apps of the runs translated so far.
  private var apps: [[UInt8]: UInt32] = [:]
  /// The flow versions that use events of the run being translated, as indices in the catalog.
  private var flowsOfRun: Set<Int> = []

  /// Creates a translator for a report.
  init(_ request: IndexRequest) {
    self.request = request
    resolver = FlowMatcher(
      catalog: request.catalog, dimensions: request.dimensions, details: request.needs.details, flows: request.flows)
    segments = SegmentTable(dimensions: request.dimensions)
  }

  /// Returns the translation of a run, or `nil` if the report needs a key that the run has not indexed, or has
  /// too many combinations.
  ///
  /// - Throws: `inputOutput` if the run is damaged.
  mutating func translation(of run: SortedRun) throws(FunnelError) -> RunTranslation? {
    let dictionaries = DictionariesOnDemand(run)
    var classIDs = Array(repeating: RunTranslation.unwanted, count: run.types.count)
    var conditionals: [ContentTable] = []
    var needsAttempts = false
    flowsOfRun.removeAll()
    for (code, type) in run.types.enumerated() {
      guard let text = OwnedTypeText(type) else { throw FunnelError.damagedIndex }
      let keys = text.withEvent { resolver.keys(of: $0) }
      if keys.isEmpty {
        classIDs[code] = classID(of: text.withEvent { resolver.resolve($0) }, &needsAttempts)
      } else {
        guard let conditional = try conditional(text, keys, dictionaries, &needsAttempts) else { return nil }
        classIDs[code] = RunTranslation.firstConditional + UInt32(conditionals.count)
        conditionals.append(conditional)
      }
    }
    guard !request.dimensions.isEmpty else {
      return RunTranslation(
        classIDs: classIDs, conditionals: conditionals, segments: nil, measures: nil, needsAttempts: needsAttempts)
    }
    guard let segments = try segments(dictionaries) else { return nil }
    return RunTranslation(
      classIDs: classIDs, conditionals: conditionals, segments: segments,
      measures: request.asksForAllProps ? measures(try dictionaries.ofProps()) : nil, needsAttempts: needsAttempts)
  }

  /// Returns the number of the app of each event type of a run.
  ///
  /// - Throws: `inputOutput` if the run is damaged.
  mutating func apps(of run: SortedRun) throws(FunnelError) -> [UInt32] {
    var numbers: [UInt32] = []
    for type in run.types {
      guard let app = type.withBorrowedElements({ EventTypeText($0)?.app.array }) else { throw FunnelError.damagedIndex }
      let number = apps[app] ?? UInt32(apps.count)
      apps[app] = number
      numbers.append(number)
    }
    return numbers
  }

  /// Returns the event class ID of an event, or ``RunTranslation/unwanted`` if no flow of the report uses it.
  private mutating func classID(of resolution: FlowMatcher.Resolution, _ needsAttempts: inout Bool) -> UInt32 {
    let matches = resolver.flowMatchLists[Int(resolution.matchListID)]
    guard !matches.isEmpty else { return RunTranslation.unwanted }
    for match in matches { flowsOfRun.insert(Int(match.entry.flow)) }
    needsAttempts = needsAttempts || matches.contains { request.countsByAttempt[Int($0.entry.flow)] }
    return eventClasses.findOrInsert(matches)
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
    _ text: OwnedTypeText, _ keys: MatchKeys, _ dictionaries: DictionariesOnDemand, _ needsAttempts: inout Bool
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
        classIDs.append(classID(of: resolution, &needsAttempts))
      }
    }
    return ContentTable(props: props, context: context, numbers: classIDs)
  }

  /// Returns the measurements by `props` code, or `nil` if the run measures no property.
  private mutating func measures(_ dictionary: DimensionDictionary) -> MeasureTable? {
    var columnCount: UInt32 = 0
    let items = dictionary.entries.map { bytes -> MeasureTable.Item? in
      bytes.withEntry { entry in
        guard let entry, entry.value == nil else { return nil }
        let measure = measuredKeys.firstIndex { entry.key.elementsEqual($0) } ?? measuredKeys.count
        if measure == measuredKeys.count { measuredKeys.append(entry.key.array) }
        defer { columnCount += 1 }
        return MeasureTable.Item(UInt32(measure), from: .column(columnCount))
      }
    }
    return columnCount == 0 ? nil : MeasureTable(dictionary, itemOfEntry: items)
  }

  /// Adds a changed copy of every segment row for each event class whose flow changes properties.
  ///
  /// - Returns: `nil` if there would be too many rows, or if one of the properties is measured: a measurement
  ///   can't be changed.
  mutating func changedRows() -> ChangedRows? {
    let rowCount = segments.count
    let changesMeasures = eventClasses.changedProps.values.contains { props in
      props.keys.contains { key in measuredKeys.contains { $0.elementsEqual(key.utf8) } }
    }
    guard !changesMeasures, eventClasses.changedProps.count * rowCount <= IndexLimits.combinationsMax else { return nil }
    // Many event classes change the same properties. Each change is computed once, because it is slow.
    var rowsOfChange: [[String: PropertyValue]: [UInt32]] = [:]
    for (_, props) in eventClasses.changedProps.sorted(by: { $0.key < $1.key }) where rowsOfChange[props] == nil {
      rowsOfChange[props] = (0..<UInt32(rowCount)).map { segments.append($0, with: props) }
    }
    return ChangedRows(eventClasses.changedProps.compactMapValues { rowsOfChange[$0] })
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
    guard bytes.withBorrowedElements({ EventTypeText($0) != nil }) else { return nil }
    self.bytes = bytes
  }

  /// Calls `body` with an event of the type, valid only during the call.
  func withEvent<Result>(
    props: [EventMember] = [], context: [EventMember] = [], _ body: (EventFields) -> Result
  ) -> Result {
    bytes.withBorrowedElements { bytes in
      guard let text = EventTypeText(bytes) else { preconditionFailure("a type was validated when it was created") }
      return EventFields.withStored(
        app: BorrowedText(text.app.raw), name: BorrowedText(text.name.raw), flow: text.flow.map { BorrowedText($0.raw) },
        flowVersion: text.flowVersion, step: text.step.map { BorrowedText($0.raw) },
        props: props, context: context, body)
    }
  }
}
