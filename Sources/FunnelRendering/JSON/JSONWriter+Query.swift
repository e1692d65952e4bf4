package import FunnelModel

extension JSONWriter {
  /// Appends the query of a report as an object.
  package mutating func append(_ query: ReportQuery) {
    var members: [(String, JSONValue)] = [
      ("since", .text(orNull: query.since?.description)),
      ("until", .text(orNull: query.until?.description)),
      ("now", .text(query.now.description)),
      ("window_ms", query.window.map { .count(Int($0.milliseconds)) } ?? .null),
      ("order", .text(query.order.rawValue)),
      ("count_by", .text(orNull: query.countBy?.rawValue)),
      ("by", .texts(query.by.map(\.description))),
      ("where", .texts(query.conditions.map(\.description))),
      ("mature", .flag(query.isMature)),
    ]
    if query.anchor != .first { members.append(("anchor", .text(query.anchor.rawValue))) }
    if query.attribution != .anchor { members.append(("attribution", .text(query.attribution.rawValue))) }
    members += Self.events(of: query)
    switch query.asOf {
    case .commit(let number)?: members.append(("as_of", .count(number)))
    case .time(let time)?: members.append(("as_of", .text(time.description)))
    case nil: break
    }
    append(.object(members))
  }

  /// Returns the options of a query that name events. Options without a value have no key.
  private static func events(of query: ReportQuery) -> [(String, JSONValue)] {
    var members: [(String, JSONValue)] = []
    if !query.exclusions.isEmpty { members.append(("exclude", .texts(query.exclusions))) }
    if let path = query.path {
      members.append((path.direction.rawValue, .text(path.key.description)))
      if let goal = path.goal { members.append(("goal", .text(goal.description))) }
      members.append(("steps", .count(path.depth)))
    } else if !query.steps.isEmpty {
      members.append(("steps", .texts(query.steps.map(\.description))))
    }
    if let drivers = query.drivers { members += Self.members(of: drivers) }
    if let retention = query.retention {
      members += [
        ("every", .text(query.retentionUnit.rawValue)), ("periods", .count(retention.periodCount)),
        ("from", .text(retention.start.rawValue)),
        ("return", retention.returnEvents.isEmpty ? .null : .texts(retention.returnEvents)),
      ]
    }
    return members
  }

  /// Returns the options of the report of drivers. Keys that were found in the log are not options.
  private static func members(of drivers: DriverSearch) -> [(String, JSONValue)] {
    let keys: JSONValue =
      switch drivers.keys {
      case .ofLog, .found: .null
      case .named(let keys): .texts(keys.map(\.description))
      }
    return [
      ("of", .text(drivers.share.description)), ("keys", keys), ("depth", .count(drivers.depth)),
      ("min_groups", .count(drivers.groupsMin)),
    ]
  }
}
