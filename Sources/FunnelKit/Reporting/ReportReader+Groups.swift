package import FunnelModel
package import FunnelReports
import FunnelIndex
import FunnelProjections

extension ReportReader {
  /// The largest number of flows that an error lists.
  private static var flowsShownMax: Int { 5 }

  /// Lists the groups that a request selects, of the only flow version of the reader or of the only one that has entries.
  ///
  /// - Parameters:
  ///   - namesAttempts: Whether the list includes the names of attempts.
  ///   - limit: The largest number of groups, or `nil` for all.
  /// - Throws: `usage` if there is no such flow or more than one, or if the request does not apply to the flow.
  package func groups(
    _ request: GroupRequest, _ query: ReportQuery, namesAttempts: Bool, limit: Int?
  ) throws(FunnelError) -> EventPass<GroupsText> {
    try list(request, query, namesAttempts: namesAttempts, keys: []) { groups, flow, query in
      GroupsText(groups, of: flow, query: query, limit: limit)
    }
  }

  /// Lists the people behind a number, with the app and the device that each used last.
  ///
  /// - Throws: The errors of ``groups(_:_:namesAttempts:limit:)``.
  package func people(_ request: GroupRequest, _ query: ReportQuery) throws(FunnelError) -> EventPass<PeopleList> {
    try list(request, query, namesAttempts: true, keys: PeopleList.keys) { groups, flow, query in
      PeopleList(groups, request, of: flow, query: query)
    }
  }

  /// Returns a list of the groups that a request selects.
  ///
  /// - Parameters:
  ///   - keys: The keys whose last values the list includes.
  ///   - list: Returns the list of the groups of a flow, for the query that they were read with.
  private func list<List>(
    _ request: GroupRequest, _ query: ReportQuery, namesAttempts: Bool, keys: [Dimension],
    _ list: ([ListedGroup], FlowDefinition, ReportQuery) -> List
  ) throws(FunnelError) -> EventPass<List> {
    let threads = threads
    return try aggregate(
      query, prepared: { request.prepared($0, flows: $1, namesAttempts: namesAttempts, keys: keys) }
    ) { (source, flows, query) throws(FunnelError) -> List in
      let flow = try Self.onlyFlow(of: flows, in: source, query: query, threads: threads)
      let definition = flows.catalog.definitions[flow]
      let (projector, selection) = try request.selection(in: definition, query: query)
      let groups = try GroupListing.groups(
        of: source, catalog: flows.catalog, flow: flow, query: query, projector: projector, selection: selection, keys: keys,
        threads: threads)
      return list(groups, definition, query)
    }
  }

  /// Returns the indices of the flow versions that have entries.
  private static func enteredFlows(
    _ flows: ReportFlows, in source: some SequenceSource, query: ReportQuery, threads: Int
  ) throws(FunnelError) -> Set<Int> {
    let report = try FunnelReports.Report(
      of: source, catalog: flows.catalog, flows: flows.indices, query: query, selection: ReportSelection(FunnelReport.self),
      threads: threads)
    let keys = (report[FunnelReport.self] ?? []).map(\.key)
    return flows.indices.filter { index in
      let flow = flows.catalog.definitions[index]
      return keys.contains { $0.app == flow.app && $0.flow == flow.flow && $0.version == flow.version }
    }
  }

  /// Returns the index of the flow version to list: the only one selected, or the only one of several that has entries.
  private static func onlyFlow(
    of flows: ReportFlows, in source: some SequenceSource, query: ReportQuery, threads: Int
  ) throws(FunnelError) -> Int {
    guard !flows.indices.isEmpty else { throw FunnelError(.usage, "there is no such flow, --flow, see 'funnel schema list'") }
    if flows.indices.count == 1, let flow = flows.indices.first { return flow }
    var entered = try enteredFlows(flows, in: source, query: query, threads: threads)
    if entered.isEmpty {
      // Nobody meets the conditions. The list is then empty, of the flow that somebody entered at all.
      var anyone = query
      (anyone.conditions, anyone.since, anyone.until, anyone.isMature) = ([], nil, nil, false)
      entered = try enteredFlows(flows, in: source, query: anyone, threads: threads)
    }
    if entered.count == 1, let flow = entered.first { return flow }
    let names = (entered.isEmpty ? flows.indices : entered).map { flows.catalog.definitions[$0].reference }.sorted()
    let shown = names.prefix(flowsShownMax).joined(separator: ", ")
    throw FunnelError(
      .usage, "the list is of one flow, give one with --flow: \(shown)\(names.count > flowsShownMax ? ", …" : "")")
  }
}
