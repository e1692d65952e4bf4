/// The names that a definition declares, for checking references to them.
///
/// Names are `nil` if their part of the definition is invalid. References to them are then not checked, because
/// reports of unknown names would be misleading.
struct FlowNames {
  /// The IDs of the steps, each with the permissions that the step asks for.
  var steps: [(id: String, permissions: [String])]?
  /// The names of the events that the flow declares.
  var events: [String]?

  /// Collects the names of steps.
  init(steps: [FlowStep]?) {
    self.steps = steps.map { steps in
      steps.map { step in
        if case .permission(let name) = step.kind { return (step.id, [name] + step.asks) }
        return (step.id, step.asks)
      }
    }
  }

  /// The IDs of the steps.
  var stepIDs: [String]? { steps.map { $0.map(\.id) } }

  /// The permissions of the whole flow, without duplicates, in order of first use.
  var permissions: [String]? {
    steps.map { steps in
      var names: [String] = []
      for name in steps.flatMap(\.permissions) where !names.contains(name) { names.append(name) }
      return names
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
    let nearest = NearestName.find(name, in: names).map { ", did you mean \"\($0)\"?" } ?? ","
    let allowed = names.isEmpty ? "it has none" : "allowed: \(names.joined(separator: ", "))"
    report("the flow has no \(what) \(name.quoted)\(nearest) \(allowed)", at: position, path: path)
  }
}
