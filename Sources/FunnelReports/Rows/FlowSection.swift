import FunnelModel
import FunnelProjections

/// The rows of a report that belong to one version of one flow.
struct FlowSection {
  let app: String
  let flow: String
  let version: Int
  var funnel: [FunnelRow] = []
  var grants: [GrantRow] = []
  var dropoff: [DropoffRow] = []

  /// The title of the flow, or nil if no row has one.
  var title: String? {
    [funnel.first?.title, grants.first?.title, dropoff.first?.title].compactMap(\.self).first { !$0.isEmpty }
  }

  /// Returns the rows of a report grouped by flow version. Sections are sorted by app, flow and version; within a section the rows
  /// keep their order.
  static func sections(of report: Report) -> [FlowSection] {
    struct Name: Hashable {
      var app: String
      var flow: String
      var version: Int
    }
    var sections: [FlowSection] = []
    var places: [Name: Int] = [:]
    func place(of key: RowKey) -> Int {
      let name = Name(app: key.app, flow: key.flow, version: key.version)
      if let place = places[name] { return place }
      places[name] = sections.count
      sections.append(FlowSection(app: key.app, flow: key.flow, version: key.version))
      return sections.count - 1
    }
    for row in report.funnel ?? [] { sections[place(of: row.key)].funnel.append(row) }
    for row in report.grants ?? [] { sections[place(of: row.key)].grants.append(row) }
    for row in report.dropoff ?? [] { sections[place(of: row.key)].dropoff.append(row) }
    return sections.sorted { ($0.app, $0.flow, $0.version) < ($1.app, $1.flow, $1.version) }
  }
}

extension FunnelRow {
  /// For each step, the number of groups that its share of the previous step refers to: those that reached the last required step
  /// before it.
  var previousReached: [Int] {
    var previous = entered
    return steps.map { step in
      defer { if !step.isOptional, let reached = step.reached { previous = reached } }
      return previous
    }
  }
}

extension DropoffStepRow {
  /// The number of groups that reached the step, derived from the share of them that dropped, or nil if none dropped.
  var reached: Int? {
    guard let share = shareOfReached, share > 0, share.isFinite, dropped > 0 else { return nil }
    return Int(exactly: (Double(dropped) / share).rounded())
  }
}

/// The number of groups below which a rate is marked: the interval of such a rate near one half is wider than a third.
let fewGroupsMax = 30
