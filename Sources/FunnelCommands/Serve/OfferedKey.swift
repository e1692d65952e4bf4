import FunnelIndex
import FunnelModel
import FunnelProjections
import FunnelReports

/// A key that a page offers to split by, so that its groups have values.
struct OfferedKey {
  /// The key as `--by` takes it.
  let name: String
  /// Its values as texts, sorted.
  let values: [String]

  /// Returns the keys of a log that groups of the report's flows have: at their first step, or else at the step where most of them have it
  /// first, as `step.ID.props.KEY`. A key that they have nowhere is left out.
  ///
  /// If nobody entered the flows, all keys are returned as they are.
  static func keys(_ keys: [KeyValues], of answer: ReportResponse, from source: ReportSource) throws -> [OfferedKey] {
    let groups = answer.report.entries.reduce(0) { $0 + $1.groups }
    guard groups > 0 else { return keys.map { OfferedKey(name: $0.key.description, values: $0.values) } }
    var coverage: [Dimension: [KeyCoverageOfFlow]] = [:]
    // Keys of `ctx` and `props` together would have a row for each combination of their values.
    let (context, props) = (keys.filter { $0.key.isContext }, keys.filter { !$0.key.isContext })
    for part in chunks(context) + chunks(props) {
      var query = answer.query
      (query.since, query.until, query.conditions) = (nil, nil, [])
      (query.isMature, query.attribution, query.needs) = (false, .anchor, EventNeeds())
      // Only details tell that an event completes a step, which may have a value that the step's match lacks.
      query.needs.details = true
      query.by = part.map(\.key)
      for flow in try Self.coverage(of: query, from: source, groups: groups) {
        for key in flow.keys { coverage[key.key, default: []].append(KeyCoverageOfFlow(flow: flow.flow, key: key)) }
      }
    }
    return keys.compactMap { key in
      name(of: key.key, coverage[key.key] ?? []).map { OfferedKey(name: $0, values: key.values) }
    }
  }

  /// A key of one flow version, and how many of its groups have it.
  private struct KeyCoverageOfFlow {
    let flow: FlowDefinition
    let key: KeyCoverage.Key
  }

  private static func chunks(_ keys: [KeyValues]) -> [[KeyValues]] {
    stride(from: 0, to: keys.count, by: Limits.queryTermsMax).map { start in
      Array(keys[start..<min(start + Limits.queryTermsMax, keys.count)])
    }
  }

  /// Returns the key as `--by` takes it, or nil if no group has it.
  private static func name(of key: Dimension, _ coverage: [KeyCoverageOfFlow]) -> String? {
    if coverage.contains(where: { $0.key.absent < $0.key.groups }) { return key.description }
    let places = coverage.flatMap { flow in
      flow.key.laterAtSteps.enumerated().map { (groups: $0.element, step: flow.flow.steps[$0.offset].id) }
    }
    guard let place = places.max(by: { $0.groups < $1.groups }), place.groups > 0 else { return nil }
    return Dimension("step.\(place.step).\(key)")?.description
  }

  /// Counts the groups that have the keys of a query, in a part of the log if it is large.
  private static func coverage(of query: ReportQuery, from source: ReportSource, groups: Int) throws -> [KeyCoverage] {
    let threads = source.threads.count
    return try source.fold(query, prepared: { query, _ in query }) { (sequences, flows, query) throws(FunnelError) in
      let partitions = max(1, min(sequences.partitionCount, sequences.partitionCount * groupsMax / groups))
      return try Report(
        of: FirstPartitions(partitions, of: sequences), catalog: flows.catalog, flows: flows.indices, query: query,
        selection: .entries, threads: threads
      ).coverage
    }.result
  }

  /// About so many groups say which keys there are: a page has to be there at once.
  private static let groupsMax = 50_000
}

/// The first partitions of a source.
private struct FirstPartitions: SequenceSource {
  private let source: any SequenceSource
  let partitionCount: Int

  init(_ count: Int, of source: any SequenceSource) {
    self.source = source
    partitionCount = count
  }

  var kinds: [EventClassTable.Entry] { source.kinds }
  var segments: SegmentTable { source.segments }
  var measuredKeys: [String] { source.measuredKeys }
  var contents: StoreContents { source.contents }

  func forEachSequence(
    inPartition number: Int, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    try source.forEachSequence(inPartition: number, body)
  }
}

extension Dimension {
  fileprivate var isContext: Bool { if case .context = self { true } else { false } }
}
