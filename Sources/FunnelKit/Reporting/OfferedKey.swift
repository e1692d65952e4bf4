import FunnelIndex
package import FunnelModel
import FunnelProjections
import FunnelReports

/// A key that a served page offers for segments and conditions.
package struct OfferedKey {
  /// The key in the syntax of `--by`.
  package let name: String
  /// The values as text, sorted.
  package let values: [String]

  /// Returns the keys of a log that groups of the report's flows have.
  ///
  /// A key that groups do not have at their first step is returned as `step.ID.props.KEY`, for the step at
  /// which most of them first have it. A key that no group has is omitted. If the flows have no entries, all
  /// keys are returned unchanged.
  ///
  /// - Parameters:
  ///   - valuesMax: The largest number of values of a key. A key with more is omitted.
  ///   - response: A response of the reader, to a request for reports of the flows.
  package static func keys(
    valuesMax: Int, of response: ReportResponse, from reader: ReportReader<some OperationMonitor>
  ) throws(FunnelError) -> [OfferedKey] {
    let keys = try response.contents.keys(valuesMax: valuesMax)
    let groups = response.report.entries.reduce(0) { $0 + $1.groups }
    guard groups > 0 else { return keys.map { OfferedKey(name: $0.key.description, values: $0.values) } }
    var coverage: [Dimension: [KeyCoverageOfFlow]] = [:]
    // Keys of `ctx` and `props` together would have a row for each combination of their values.
    let context = keys.filter { $0.key.isContext }
    let props = keys.filter { !$0.key.isContext }
    for part in chunks(context) + chunks(props) {
      var query = response.query
      query.since = nil
      query.until = nil
      query.conditions = []
      query.isMature = false
      query.attribution = .anchor
      query.needs = EventNeeds()
      // Only details reveal the event that completes a step, which may have a value that the entering event lacks.
      query.needs.details = true
      query.by = part.map(\.key)
      for flow in try Self.coverage(of: query, from: reader, groups: groups) {
        for key in flow.keys { coverage[key.key, default: []].append(KeyCoverageOfFlow(flow: flow.flow, key: key)) }
      }
    }
    return keys.compactMap { key in
      name(of: key.key, coverage[key.key] ?? []).map { OfferedKey(name: $0, values: key.values) }
    }
  }

  /// A key of one flow version, with the number of groups that have it.
  private struct KeyCoverageOfFlow {
    let flow: FlowDefinition
    let key: KeyCoverage.Key
  }

  /// Splits keys into arrays that fit one query each.
  private static func chunks(_ keys: [KeyValues]) -> [[KeyValues]] {
    stride(from: 0, to: keys.count, by: Limits.queryTermsMax).map { start in
      Array(keys[start..<min(start + Limits.queryTermsMax, keys.count)])
    }
  }

  /// Returns the key in the syntax of `--by`, or `nil` if no group has it.
  private static func name(of key: Dimension, _ coverage: [KeyCoverageOfFlow]) -> String? {
    if coverage.contains(where: { $0.key.absent < $0.key.groups }) { return key.description }
    let steps = coverage.flatMap { flow in
      flow.key.laterAtSteps.enumerated().map { (groups: $0.element, step: flow.flow.steps[$0.offset].id) }
    }
    guard let best = steps.max(by: { $0.groups < $1.groups }), best.groups > 0 else { return nil }
    return Dimension("step.\(best.step).\(key)")?.description
  }

  /// Counts the groups that have the keys of a query. Samples the groups if there are more than ``groupsMax``.
  private static func coverage(
    of query: ReportQuery, from reader: ReportReader<some OperationMonitor>, groups: Int
  ) throws(FunnelError) -> [KeyCoverage] {
    try reader.aggregate(query, prepared: { query, _ in query }) {
      (sequences, flows, query) throws(FunnelError) in
      let partitions = max(1, min(sequences.partitionCount, sequences.partitionCount * groupsMax / groups))
      return try FunnelReports.Report(
        of: FirstPartitions(partitions, of: sequences), catalog: flows.catalog, flows: flows.indices, query: query,
        selection: .entries, threads: reader.threads
      ).coverage
    }.result
  }

  /// The approximate number of groups to sample. It limits the time until a page is displayed.
  private static let groupsMax = 50_000
}

/// A sequence source that consists of the first partitions of another one.
private struct FirstPartitions: SequenceSource {
  private let source: any SequenceSource
  let partitionCount: Int

  /// - Parameter count: The number of partitions, at most that of the source.
  init(_ count: Int, of source: any SequenceSource) {
    self.source = source
    partitionCount = count
  }

  var eventClasses: [EventClassTable.Entry] { source.eventClasses }
  var segments: SegmentTable { source.segments }
  var measuredKeys: [String] { source.measuredKeys }
  var contents: StoreContents { source.contents }

  func forEachSequence(
    inPartition number: Int, upTo moment: Int64, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    try source.forEachSequence(inPartition: number, upTo: moment, body)
  }
}

extension Dimension {
  /// Whether the dimension is a key of `ctx`.
  fileprivate var isContext: Bool { if case .context = self { true } else { false } }
}
