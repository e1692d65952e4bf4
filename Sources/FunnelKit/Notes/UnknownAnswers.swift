package import FunnelDecoding
package import FunnelModel

/// Finds permission events whose names no flow declares.
///
/// The answers in such events are missing from every rate of a report, with no other indication.
package struct UnknownAnswers {
  private let catalog: FlowCatalog
  /// The prefixes of permission event names, by app.
  private var prefixes: [String: Set<String>] = [:]

  /// Creates a search for the permissions of some flows.
  ///
  /// - Parameter flows: The catalog indices of the flow versions that the report covers.
  package init(catalog: FlowCatalog, flows: Set<Int>) {
    self.catalog = catalog
    for definition in flows.map({ catalog.definitions[$0] }) {
      prefixes[definition.app, default: []].formUnion(definition.permissions.map { "perm_\($0.name)_" })
    }
  }

  /// Whether a name is that of an event of a permission and no flow of the app declares it.
  package func includes(_ name: EventTypeName) -> Bool {
    guard name.name.hasPrefix("perm_"), let prefixes = prefixes[name.app],
      prefixes.contains(where: { name.name.hasPrefix($0) && name.name.utf8.count > $0.utf8.count })
    else { return false }
    return !catalog.definitions.indices.contains { index in
      catalog.definitions[index].app == name.app && catalog.declares(index, name: name.name, step: name.step)
    }
  }

  /// Returns the notes, most frequent name first, or an empty array if there are no such events.
  ///
  /// - Parameter isLowerBound: Whether the log has names that were not counted.
  package func lines(_ counts: [EventTypeName: Int], isLowerBound: Bool = false) -> [String] {
    guard !counts.isEmpty else { return [] }
    let names = UnclaimedReport.names(counts)
    let total = names.reduce(0) { $0 + $1.count }
    var lines = [
      "\(isLowerBound ? "at least " : "")\(Quantity.counted(total, "permission event")) in the log \(total == 1 ? "has a name" : "have names") that no flow declares;"
        + " \(total == 1 ? "it counts" : "they count") as no answer, so people with such an event may count as unanswered, skipped or denied"
    ]
    for (name, count) in names.prefix(Self.shownMax) {
      lines.append("  \(Quantity.count(count)) × \(UnclaimedReport.text(name, advisedBy: catalog))")
    }
    if names.count > Self.shownMax { lines.append("  and \(Quantity.counted(names.count - Self.shownMax, "more name"))") }
    return lines
  }

  /// Returns lines as one sentence, for tables and pages, or `nil` if there are none.
  package static func sentence(_ lines: [String]) -> String? {
    guard let first = lines.first else { return nil }
    return "\(first): \(lines.dropFirst().map { $0.trimmingPrefix { $0 == " " } }.joined(separator: "; "))"
  }

  /// The largest number of names shown.
  private static let shownMax = 5
}
