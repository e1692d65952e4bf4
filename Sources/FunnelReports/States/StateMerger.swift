package import FunnelDecoding
package import FunnelModel
import FunnelProjections

/// Merges states. Only the sum is in memory, so any number of states can be merged.
///
/// ``add(_:name:)`` rejects a state of another query, and a state whose events are already included.
package struct StateMerger: Sendable {
  /// The query and the definitions that all states share.
  package let request: StateRequest
  /// The name of the first state, for messages.
  private let firstName: String
  /// The catalog indices of the flow versions, in ascending order.
  private let flows: [Int]
  private var counts: [[FlowCounts]]
  private var folds = StateFolds()
  /// The sum of the input counts of all states.
  package private(set) var input = InputCounts()

  /// Creates a merger with a first state.
  ///
  /// - Parameters:
  ///   - name: The name of the state's file, for messages.
  ///   - query: The query of the state's request, for any period.
  ///   - catalog: The catalog of the request's definitions, steps and exclusions.
  ///   - flows: The catalog indices of the counted flow versions.
  /// - Throws: ``FunnelError`` (`unusableInput`) if the state is damaged.
  package init(
    _ first: ReportState, name: String, query: ReportQuery, catalog: FlowCatalog, flows: Set<Int>
  ) throws(FunnelError) {
    request = first.request
    firstName = name
    self.flows = flows.sorted()
    let countings = ReportCounting.countings(of: request.selection, for: query)
    counts = Self.noCounts(countings, of: self.flows.map { catalog.definitions[$0] })
    folds.windowMax = self.flows.map { query.windowMilliseconds(for: catalog.definitions[$0]) }.max() ?? 0
    try add(first, name: name)
  }

  private static func noCounts(_ countings: [ReportCounting], of flows: [FlowDefinition]) -> [[FlowCounts]] {
    countings.map { counting in
      flows.map { FlowCounts(FlowProjection(flow: $0, query: counting.query, projectors: counting.projectors)) }
    }
  }

  /// Adds the counts of a state.
  ///
  /// - Parameter name: The name of the state's file, for messages.
  /// - Throws: ``FunnelError`` (`unusableInput`) if the state does not match the others or is damaged. The
  ///   merger must not be used after an error.
  package mutating func add(_ state: ReportState, name: String) throws(FunnelError) {
    if let difference = request.difference(from: state.request) {
      throw FunnelError(
        .unusableInput,
        "\(name.printable) does not match \(firstName.printable), \(difference), fold both with the same options and definitions"
      )
    }
    try folds.add(state.folds, name: name)
    guard state.counts.map(\.count) == counts.map(\.count) else {
      throw FunnelError(.unusableInput, "\(name.printable), the state has counts of other flows, fold the lines again")
    }
    for counting in counts.indices {
      for flow in counts[counting].indices {
        do throws(StateDamage) {
          try counts[counting][flow].merge(encoded: state.counts[counting][flow])
        } catch {
          throw FunnelError(
            .unusableInput, "\(name.printable), counts of the state can't be read, \(error), fold the lines again")
        }
      }
    }
    guard input.hasRoom(for: state.input) else {
      throw FunnelError(
        .unusableInput,
        "\(name.printable), together the states have more lines than can be counted, fold fewer lines")
    }
    input.add(state.input)
  }

  /// The sum as a state.
  package var state: ReportState {
    ReportState(
      request: request, folds: folds.sorted, input: input, counts: counts.map { $0.map(\.encoded) })
  }

  /// Returns the period that all states cover together.
  ///
  /// - Throws: ``FunnelError`` (`unusableInput`) if there is a gap between the periods.
  package func period() throws(FunnelError) -> StatePeriod { try folds.period() }

  /// Returns the report of the sum.
  ///
  /// - Parameters:
  ///   - selection: The reports. All of them must have been counted.
  ///   - query: The query of the request, for ``period()``.
  ///   - catalog: The catalog. The app of an ad-hoc flow may now be known.
  ///   - flows: The catalog indices of the flow versions to include, a subset of the counted ones.
  /// - Throws: ``FunnelError`` (`unusableInput`) if counts overflow.
  package func report(
    _ selection: ReportSelection, query: ReportQuery, catalog: FlowCatalog, flows: Set<Int>
  ) throws(FunnelError) -> Report {
    let chosen = self.flows.indices.filter { flows.contains(self.flows[$0]) }
    let countings = ReportCounting.countings(of: request.selection, for: query)
    var sums = Self.noCounts(countings, of: chosen.map { catalog.definitions[self.flows[$0]] })
    for counting in sums.indices {
      for (position, flow) in chosen.enumerated() {
        do throws(StateDamage) {
          try sums[counting][position].merge(encoded: counts[counting][flow].encoded)
        } catch {
          throw FunnelError(.unusableInput, "the sum of the states can't be read, \(error), fold the lines again")
        }
      }
    }
    var report = Report(query: selection.shown(query), selection: selection, countings: countings, counts: sums)
    if folds.periodCount > 1 { report.removeReturned() }
    return report
  }
}

extension Report {
  /// Removes the nonzero numbers of groups that began before the period and again in it.
  ///
  /// A sum over several periods also includes groups that began in one period and again in a later one. The
  /// report of the whole period does not count these.
  fileprivate mutating func removeReturned() {
    self[FunnelReport.self] = self[FunnelReport.self]?.map { row in
      var row = row
      if row.returned != 0 { row.returned = nil }
      return row
    }
    for index in entries.indices where entries[index].returned != 0 { entries[index].returned = nil }
  }
}

extension ReportSelection {
  /// Returns a query without the options that none of the reports supports. A state may contain the counts of
  /// other reports.
  package func shown(_ query: ReportQuery) -> ReportQuery {
    var query = query
    if !names.contains(TrendReport.name), !names.contains(CohortRetentionReport.name) { query.every = nil }
    if !names.contains(CohortRetentionReport.name) { query.retention = nil }
    if !names.contains(NextReport.name) { query.path = nil }
    if !names.contains(DriversReport.name) { query.drivers = nil }
    return query
  }
}
