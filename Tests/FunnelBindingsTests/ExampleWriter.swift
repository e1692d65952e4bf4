@testable import FunnelBindings
import FunnelModel

/// Writes Swift code that makes every event of a flow by its generated type: with all properties, with those that are required alone, and
/// with each value that a property may have.
struct ExampleWriter {
  private let bindings: FlowBindings
  private let names: SwiftNames

  init(_ bindings: FlowBindings) {
    self.bindings = bindings
    names = SwiftNames(bindings)
  }

  /// The declaration of a constant with the events.
  var text: String {
    var lines = ["  /// The events of \(bindings.flow.reference).", "  public static let \(constant): [FunnelEvent] = ["]
    lines += events.map { "    FunnelEvent(\(bindings.typeName).\($0))," }
    return (lines + ["  ]"]).joined(separator: "\n") + "\n"
  }

  var constant: String { bindings.typeName.prefix(1).lowercased() + bindings.typeName.dropFirst() }

  private var events: [String] { ownEvents + (names.hasPermissionCase ? permissionEvents : []) }

  private var permissionEvents: [String] {
    names.permissions.flatMap { permission in
      PermissionEventName.Suffix.allCases.map { "permission(.\(permission.name), .\($0))" }
    }
  }

  private var ownEvents: [String] {
    names.events.flatMap { event -> [String] in
      let name = event.name
      switch event.payload {
      case .stepType(_, let parametersByStep):
        return zip(names.steps, parametersByStep).flatMap { step, parameters in
          calls(step.name, parameters).map { "\(name)(.\($0))" }
        }
      case .values(.none, let parameters): return calls(name, parameters)
      case .values(.optional, let parameters):
        return calls(name, parameters) + names.steps.map { "\(name)(step: .\($0.name))" }
      case .values(.required, let parameters):
        return names.steps.flatMap { calls(name, parameters, leading: [".\($0.name)"]) }
      }
    }
  }

  /// Returns the calls of a case with its properties in turn.
  private func calls(_ name: String, _ parameters: [FlowBindings.Parameter], leading: [String] = []) -> [String] {
    let labels = SwiftNames.labels(of: parameters)
    let given = zip(labels, parameters).map { ($0, $1, values(of: $1)) }
    var lists = [given.map { "\($0.0): \($0.2[0])" }, given.filter(\.1.isRequired).map { "\($0.0): \($0.2[0])" }]
    for (place, argument) in given.enumerated() {
      for value in argument.2.dropFirst() {
        lists.append(given.enumerated().map { "\($1.0): \($0 == place ? value : $1.2[0])" })
      }
    }
    var seen: Set<[String]> = []
    return lists.filter { seen.insert($0).inserted }.map { list in
      let all = leading + list
      return all.isEmpty ? name + (parameters.isEmpty ? "" : "()") : "\(name)(\(all.joined(separator: ", ")))"
    }
  }

  private func values(of parameter: FlowBindings.Parameter) -> [String] {
    switch parameter.type {
    case .string, .scalar: ["\"text\""]
    // Within the bounds of every built-in flow.
    case .integer: ["1"]
    case .number: ["1.5"]
    case .boolean: ["true", "false"]
    case .enumeration(let index): names.enumerations[index].values.map { ".\($0.name)" }
    }
  }
}
