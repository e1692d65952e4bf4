import FunnelModel
import FunnelProjections

/// All a report says of one version of one flow.
struct FlowSection {
  let app: String
  let flow: String
  let version: Int
  var funnel: [FunnelRow] = []
  var grants: [GrantRow] = []
  var dropoff: [DropoffRow] = []

  /// What people call the flow, or nil where no row knows.
  var title: String? {
    [funnel.first?.title, grants.first?.title, dropoff.first?.title].compactMap(\.self).first { !$0.isEmpty }
  }

  /// The report's rows by flow, in the order of the rows.
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
  /// For each step the groups its share of the step before is of: those that reached the last required step before it.
  var previousReached: [Int] {
    var previous = entered
    return steps.map { step in
      defer { if !step.isOptional, let reached = step.reached { previous = reached } }
      return previous
    }
  }
}

extension DropoffStepRow {
  /// Groups that reached the step, told by the share of them that dropped; nil where none did.
  var reached: Int? {
    guard let share = shareOfReached, share > 0, share.isFinite, dropped > 0 else { return nil }
    return Int(exactly: (Double(dropped) / share).rounded())
  }
}

/// Rates of fewer groups than this are marked: around a half, their interval is wider than a third.
let fewGroupsMax = 30
