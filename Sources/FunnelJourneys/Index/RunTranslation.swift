internal import FunnelIngest
internal import FunnelModel

/// What the codes of one run mean to one report, worked out before its first event is read.
struct RunTranslation: Sendable {
  /// In the place of a kind: the event is not wanted.
  static let unwanted = UInt32.max
  /// In the place of a kind: it depends on properties, see ``conditionals``.
  static let conditional = UInt32.max - 1

  /// The kind of each type; ``unwanted`` up to a power of two at least.
  private(set) var kinds: [UInt32]
  /// Types whose kind depends on properties.
  private(set) var conditionals: [UInt32: Conditional] = [:]
  /// The segment of each content of `ctx` and of `props`; nil where the report has none.
  fileprivate(set) var segments: Segments?

  /// What a type means by its properties.
  struct Conditional: Sendable {
    let props: DimensionProjection
    let context: DimensionProjection
    let kinds: [UInt32]

    @inline(__always)
    func kind(props propsRow: Int, context contextRow: Int) -> UInt32 {
      let prop = props.combinationOfRow.isEmpty ? 0 : Int(props.combinationOfRow[propsRow])
      let field = context.combinationOfRow.isEmpty ? 0 : Int(context.combinationOfRow[contextRow])
      return kinds[prop * context.count + field]
    }
  }

  /// Rows of the report's segment table by the combinations of `props` and `ctx`.
  struct Segments: Sendable {
    let props: DimensionProjection
    let context: DimensionProjection
    let rows: [UInt32]

    @inline(__always)
    func row(props propsRow: Int, context contextRow: Int) -> UInt32 {
      let prop = props.combinationOfRow.isEmpty ? 0 : Int(props.combinationOfRow[propsRow])
      let field = context.combinationOfRow.isEmpty ? 0 : Int(context.combinationOfRow[contextRow])
      return rows[prop * context.count + field]
    }
  }

  /// Whether `props`, `ctx` have to be read at all.
  var needsProps: Bool {
    conditionals.values.contains { !$0.props.combinationOfRow.isEmpty } || !(segments?.props.combinationOfRow.isEmpty ?? true)
  }
  var needsContext: Bool {
    conditionals.values.contains { !$0.context.combinationOfRow.isEmpty }
      || !(segments?.context.combinationOfRow.isEmpty ?? true)
  }
  /// The least numbers of contents that the codes of `props`, `ctx` must stay below.
  var propsRowCount: Int { Self.rowCount(conditionals.values.map(\.props) + (segments.map { [$0.props] } ?? [])) }
  var contextRowCount: Int { Self.rowCount(conditionals.values.map(\.context) + (segments.map { [$0.context] } ?? [])) }

  private static func rowCount(_ projections: [DimensionProjection]) -> Int {
    projections.lazy.map(\.combinationOfRow.count).filter { $0 > 0 }.min() ?? .max
  }

  fileprivate init(kinds: [UInt32], conditionals: [UInt32: Conditional]) {
    self.kinds = kinds
    self.conditionals = conditionals
  }
}

/// Works out the translations of all runs for one report.
struct RunTranslator {
  private let question: IndexQuestion
  private var resolver: FlowResolver
  private(set) var kinds = KindTable()
  private(set) var segments: SegmentTable

  init(_ question: IndexQuestion) {
    self.question = question
    resolver = FlowResolver(catalog: question.catalog)
    segments = SegmentTable(dimensions: question.dimensions)
  }

  /// The translation of a run; nil where the report asks for what the run does not have indexed.
  mutating func translation(of run: IndexRun) throws(FunnelError) -> RunTranslation? {
    let dictionaries = DictionariesOnDemand(run)
    var kinds = Array(repeating: RunTranslation.unwanted, count: max(run.types.count, run.typeWidth == 1 ? 256 : 1))
    var conditionals: [UInt32: RunTranslation.Conditional] = [:]
    for (code, type) in run.types.enumerated() {
      guard let text = OwnedTypeText(type) else { throw IndexDamage.error }
      let flow = text.withEvent { resolver.resolve($0) }.flow
      guard flow >= 0, question.flows.contains(flow) else { continue }
      let keys = MeaningKeys(name: text.name, in: question.catalog.definitions[flow])
      if keys.isEmpty {
        kinds[code] = kind(text.withEvent { resolver.resolve($0) })
      } else {
        guard let conditional = try conditional(text, keys, dictionaries) else { return nil }
        kinds[code] = RunTranslation.conditional
        conditionals[UInt32(code)] = conditional
      }
    }
    var translation = RunTranslation(kinds: kinds, conditionals: conditionals)
    guard !question.dimensions.isEmpty else { return translation }
    guard let segments = try segments(dictionaries) else { return nil }
    translation.segments = segments
    return translation
  }

  private mutating func kind(_ resolution: FlowResolver.Resolution) -> UInt32 {
    kinds.code(of: KindTable.Entry(flow: Int32(resolution.flow), kind: resolution.kind))
  }

  private mutating func conditional(
    _ text: OwnedTypeText, _ keys: MeaningKeys, _ dictionaries: DictionariesOnDemand
  ) throws(FunnelError) -> RunTranslation.Conditional? {
    guard let (props, context) = try dictionaries.projections(props: keys.props, context: keys.context) else { return nil }
    var codes: [UInt32] = []
    for prop in 0..<props.count {
      for field in 0..<context.count {
        let resolution = props.withMembers(prop) { props in
          context.withMembers(field) { context in
            text.withEvent(props: props, context: context) { resolver.resolve($0) }
          }
        }
        codes.append(kind(resolution))
      }
    }
    return RunTranslation.Conditional(props: props, context: context, kinds: codes)
  }

  private mutating func segments(_ dictionaries: DictionariesOnDemand) throws(FunnelError) -> RunTranslation.Segments? {
    guard let (props, context) = try dictionaries.projections(props: question.propsKeys, context: question.contextKeys) else {
      return nil
    }
    var rows: [UInt32] = []
    for prop in 0..<props.count {
      let propsValues = props.values(prop)
      for field in 0..<context.count {
        var propsRest = propsValues[...]
        var contextRest = context.values(field)[...]
        let row = question.dimensions.map { dimension in
          if case .property = dimension { propsRest.popFirst() ?? .null } else { contextRest.popFirst() ?? .null }
        }
        rows.append(segments.append(row))
      }
    }
    return RunTranslation.Segments(props: props, context: context, rows: rows)
  }
}

/// A run's dictionaries of contents, read when they are first asked for: most reports do without.
private final class DictionariesOnDemand {
  private let run: IndexRun
  private var props: DimensionDictionary?
  private var context: DimensionDictionary?

  init(_ run: IndexRun) {
    self.run = run
  }

  /// The projections on keys; nil where one is not indexed, or there are too many combinations.
  func projections(
    props propsKeys: [String], context contextKeys: [String]
  ) throws(FunnelError) -> (props: DimensionProjection, context: DimensionProjection)? {
    var result = (props: DimensionProjection.trivial, context: DimensionProjection.trivial)
    if !propsKeys.isEmpty {
      let dictionary = if let props { props } else { try run.propsDictionary() }
      props = dictionary
      guard let projection = DimensionProjection(dictionary, keys: propsKeys) else { return nil }
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

/// An event type with its name as a string, to be resolved.
private struct OwnedTypeText {
  let bytes: [UInt8]
  let name: String

  init?(_ bytes: [UInt8]) {
    guard let name = bytes.withUnsafeBytes({ EventTypeText($0).map { String(decoding: $0.name, as: UTF8.self) } }) else {
      return nil
    }
    self.bytes = bytes
    self.name = name
  }

  func withEvent<Result>(
    props: [EventMember] = [], context: [EventMember] = [], _ body: (EventFields) -> Result
  ) -> Result {
    bytes.withUnsafeBytes { bytes in
      let text = EventTypeText(bytes)!
      return body(
        EventFields(
          app: text.app, name: text.name, flow: text.flow, flowVersion: text.flowVersion, step: text.step, props: props,
          context: context))
    }
  }
}
