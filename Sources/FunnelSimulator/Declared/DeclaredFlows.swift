import FunnelModel

/// The flows that are simulated from their definitions alone.
struct DeclaredFlows: Sendable {
  /// An app and its flows.
  struct App: Sendable {
    var name: String
    /// The builds in use, at least one, each with the flows that it has: for each flow the versions it may ship, as indices in
    /// ``DeclaredFlows/flows``.
    var builds: [(version: String, flows: [[Int]])]
  }

  private(set) var apps: [App] = []
  private(set) var flows: [DeclaredFlow] = []
  private(set) var events: [EventTemplate] = []

  /// Prepares the simulation of flow versions.
  ///
  /// - Throws: ``FunnelError`` with code `configuration` if an event needs a property for which no value can be invented.
  init(_ definitions: [FlowDefinition] = []) throws(FunnelError) {
    for definition in definitions {
      var planner = DeclaredFlowPlanner(definition, index: flows.count, events: events)
      // The planner is the only owner of the array now, so that adding to it does not copy it.
      events = []
      flows.append(try planner.plan())
      events = planner.events
    }
    var names: [String] = []
    for definition in definitions where !names.contains(definition.app) { names.append(definition.app) }
    for name in names { apps.append(Self.app(name, definitions)) }
  }

  private static func app(_ name: String, _ definitions: [FlowDefinition]) -> App {
    let indices = definitions.indices.filter { definitions[$0].app == name }
    var versions: [String] = []
    for version in indices.compactMap({ definitions[$0].appVersions?.example }) where !versions.contains(version) {
      versions.append(version)
    }
    if versions.isEmpty { versions = ["1.0"] }
    var flows: [String] = []
    // A flow that folds the events of others comes after them.
    let (own, folding) = (indices.filter { !definitions[$0].foldsOthers }, indices.filter { definitions[$0].foldsOthers })
    for index in own + folding where !flows.contains(definitions[index].flow) { flows.append(definitions[index].flow) }
    return App(
      name: name,
      builds: versions.map { version in
        let build = DottedVersion(version)
        let choices = flows.map { flow in
          indices.filter { index in
            guard definitions[index].flow == flow else { return false }
            guard let range = definitions[index].appVersions else { return true }
            return build.map(range.contains) ?? false
          }
        }
        return (version, choices.filter { !$0.isEmpty })
      })
  }

  /// Returns the build that a subject of an app uses, by its number.
  func build(ofApp app: Int, _ persona: Persona) -> Int {
    Int(SplitMix64.mix(persona.key) % UInt64(apps[app].builds.count))
  }
}

extension FlowDefinition {
  /// Whether the flow also folds events that name other flows.
  fileprivate var foldsOthers: Bool { fromFlows != .flows([]) }
}

extension VersionRange {
  /// A version in the range, or `nil` if none is found near its bounds.
  fileprivate var example: String? {
    let bounds = description.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-")) }.map(String.init)
    let lower = bounds.flatMap { bound -> [String] in
      let fields = bound.split(separator: ".").compactMap { Int($0) }
      return fields.indices.reversed().filter { fields[$0] > 0 }.map { index in
        (fields[..<index] + [fields[index] - 1]).map(String.init).joined(separator: ".")
      }
    }
    return (bounds + bounds.map { $0 + ".1" } + lower.map { $0 + ".1" } + lower + ["0"]).first { text in
      DottedVersion(text).map(contains) ?? false
    }
  }
}

/// An event of a flow that is simulated from its definition, without the values that vary.
struct EventTemplate: Sendable {
  /// The index of the flow in ``DeclaredFlows/flows``.
  var flow: Int
  var name: [UInt8]
  /// The step, or `nil` if the event has none.
  var step: [UInt8]?
  /// The properties, sorted by key.
  var props: [Property]
  /// The values of `ctx` that the event must have, as JSON.
  var context: [(key: String, json: [UInt8])]

  /// A property and its values.
  struct Property: Sendable {
    /// The key as a JSON string.
    var key: [UInt8]
    /// A number that depends on the key alone, from which its values are derived.
    var hash: UInt64
    var values: PropertyGenerator
  }
}

extension SplitMix64 {
  /// Returns a hash of a text, the same on every machine.
  static func hash(of text: String) -> UInt64 {
    text.utf8.reduce(0) { combine($0, UInt64($1)) }
  }
}
