/// The names that a definition declares, for checking references to them.
///
/// Names are `nil` if their part of the definition is invalid. References to them are then not checked, because
/// reports of unknown names would be misleading.
struct FlowNames {
  let steps: [FlowStep]?
  /// The names of the events that the flow declares.
  var events: [String]?

  /// The IDs of the steps.
  var stepIDs: [String]? { steps.map { $0.map(\.id) } }

  /// The permissions of the whole flow, without duplicates, in order of first use.
  var permissions: [String]? {
    steps.map { steps in
      var seen: Set<String> = []
      return steps.flatMap(\.permissions).filter { seen.insert($0).inserted }
    }
  }
}

extension ConfigurationReader {
  /// Reports a name at a value if the flow does not have it. Does nothing if the flow's names are `nil`.
  ///
  /// - Parameter what: The noun for the name, such as `step`.
  func checkReference(to name: String, in names: [String]?, _ what: String, at value: ConfigurationValue) {
    checkReference(to: name, in: names, what, at: value.node.position, path: value.path)
  }

  /// Reports a name at a position if the flow does not have it. Does nothing if the flow's names are `nil`.
  func checkReference(
    to name: String, in names: [String]?, _ what: String, at position: JSONDocument.Position, path: String
  ) {
    guard let names, !names.contains(name) else { return }
    let nearest = NearestName.suggestion(for: name, in: names)
    let allowed = names.isEmpty ? "it has none" : "allowed: \(names.joined(separator: ", "))"
    report("the flow has no \(what) \(name.quoted)\(nearest) \(allowed)", at: position, path: path)
  }
}
