public import FunnelIngest
public import FunnelModel
import FunnelProjections

/// Merges states. Only the sum is in memory, so any number of states can be merged.
///
/// ``add(_:name:)`` rejects a state of another query, and a state whose events are already included.
public struct StateMerger: Sendable {
  /// The query and the definitions that all states share.
  public let question: StateRequest
  /// The name of the first state, for messages.
  private let firstName: String
  /// The catalog indices of the flow versions, in ascending order.
  private let flows: [Int]
  private var counts: [[FlowCounts]]
  private var parts = StateParts()
  /// The sum of the input counts of all states.
  public private(set) var input = InputCounts()

  /// Creates a merger with a first state.
  ///
  /// - Parameters:
  ///   - name: The name of the state's file, for messages.
  ///   - query: The query of the state's request, for any period.
  ///   - catalog: The catalog of the request's definitions, steps and exclusions.
  ///   - flows: The catalog indices of the counted flow versions.
  /// - Throws: ``FunnelError`` (`unusableInput`) if the state is damaged.
  public init(
    _ first: ReportState, name: String, query: ReportQuery, catalog: FlowCatalog, flows: Set<Int>
  ) throws(FunnelError) {
    question = first.question
    firstName = name
    self.flows = flows.sorted()
    let countings = ReportCounting.countings(of: question.selection, for: query)
    counts = Self.noCounts(countings, of: self.flows.map { catalog.definitions[$0] })
    parts.windowMax = self.flows.map { query.windowMilliseconds(for: catalog.definitions[$0]) }.max() ?? 0
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
  public mutating func add(_ state: ReportState, name: String) throws(FunnelError) {
    if let difference = question.difference(from: state.question) {
      throw FunnelError(
        .unusableInput,
        "\(name.printable) does not match \(firstName.printable), \(difference), fold both with the same options and definitions"
      )
    }
    try parts.add(state.parts, name: name)
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
  public var state: ReportState {
    ReportState(
      question: question, parts: parts.sorted, input: input, counts: counts.map { $0.map(\.encoded) })
  }

  /// Returns the period that all states cover together.
  ///
  /// - Throws: ``FunnelError`` (`unusableInput`) if there is a gap between the periods.
  public func period() throws(FunnelError) -> StatePeriod { try parts.period() }

  /// Returns the report of the sum.
  ///
  /// - Parameters:
  ///   - selection: The reports. All of them must have been counted.
  ///   - query: The query of the request, for ``period()``.
  ///   - catalog: The catalog. The app of an ad-hoc flow may now be known.
  ///   - flows: The catalog indices of the flow versions to include, a subset of the counted ones.
  /// - Throws: ``FunnelError`` (`unusableInput`) if counts overflow.
  public func report(
    _ selection: ReportSelection, query: ReportQuery, catalog: FlowCatalog, flows: Set<Int>
  ) throws(FunnelError) -> Report {
    let chosen = self.flows.indices.filter { flows.contains(self.flows[$0]) }
    let countings = ReportCounting.countings(of: question.selection, for: query)
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
    if parts.periodCount > 1 { report.removeReturned() }
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
  public func shown(_ query: ReportQuery) -> ReportQuery {
    var query = query
    if !names.contains(TrendReport.name) { query.every = nil }
    if !names.contains(NextReport.name) { query.after = nil }
    return query
  }
}
