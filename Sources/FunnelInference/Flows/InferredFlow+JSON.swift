import FunnelModel

extension InferredFlow {
  /// The definition as JSON, or an array of definitions if there are several versions. `schema check` accepts it unchanged.
  package var json: String {
    let definitions = versions.map(definition)
    if definitions.count == 1 { return definitions[0] + "\n" }
    return "[\n" + definitions.joined(separator: ",\n") + "\n]\n"
  }

  /// Sentences about the evidence for each step.
  package var evidence: [String] {
    var lines = [
      "\(app)/\(flow): a draft; read it, label the steps, mark optional ones, then check it with 'funnel schema check'"
    ]
    for version in versions {
      let builds = version.appVersions.map { ", app versions \($0)" } ?? ""
      lines.append("version \(version.number)\(builds): \(Self.subjects(version.subjects))")
      for step in version.steps {
        let share = PercentText.text(Double(step.subjects) / Double(max(version.subjects, 1)))
        lines.append(
          "  \(step.id)\(originals[step.id].map { " (\($0.printable))" } ?? "")\(step.isPermission ? " (permission)" : ""): \(Self.subjects(step.subjects)) (\(share)), median position \(Self.text(step.position))\(Self.reason(of: step))"
        )
      }
    }
    for (name, meaning) in renamed.sorted(by: { $0.key < $1.key }) {
      lines.append("\(name) looks like \(meaning.name) and is treated as such (upcasts)")
    }
    return lines + remarks
  }

  /// Returns the reason why a step is optional, as a clause after a comma. Empty if it is required.
  private static func reason(of step: Step) -> String {
    guard step.isOptional else { return "" }
    if step.meaning == .leaving { return ", optional: it ends a visit" }
    return ", optional: \(PercentText.text(step.skippedShare)) of those who reached a later step had not had it before"
  }

  private static func subjects(_ count: Int) -> String { Quantity.counted(count, "subject") }

  private static func text(_ position: Double) -> String {
    position == position.rounded() ? String(Int(position)) : String(position)
  }

  /// Returns the definition of a version as JSON.
  private func definition(_ version: Version) -> String {
    var bytes: [UInt8] = []
    bytes.append(text: "{\"app\":\"\(app)\",\"flow\":\"\(flow)\",\"version\":\(version.number),\"title\":")
    bytes.appendJSONString(InferredStep.label(of: flow))
    if let range = version.appVersions {
      bytes.append(text: ",\"app_versions\":")
      bytes.appendJSONString(range)
    }
    bytes.append(text: ",\"window\":\"\(version.windowDays)d\",\"count_by\":\"person\",\n \"steps\":[")
    for (index, step) in version.uniqueSteps.enumerated() {
      bytes.append(text: index == 0 ? "" : ",\n          ")
      append(step, to: &bytes)
    }
    bytes.append(text: "]")
    appendUpcasts(of: version, to: &bytes)
    bytes.append(text: "}")
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends a step of a definition.
  private func append(_ step: (step: Step, asks: String?), to bytes: inout [UInt8]) {
    bytes.append(text: "{\"id\":\"\(step.step.id)\",\"label\":")
    bytes.appendJSONString(originals[step.step.id] ?? step.step.step.label)
    switch step.step.step {
    case .screen: break
    case .event(let name): bytes.append(text: ",\"entered_by\":[\"\(name)\"]")
    case .permission(let permission): bytes.append(text: ",\"permission\":\"\(permission)\"")
    }
    if let asks = step.asks { bytes.append(text: ",\"asks\":[\"\(asks)\"]") }
    if step.step.isOptional { bytes.append(text: ",\"optional\":true") }
    bytes.append(text: "}")
  }

  /// Appends the upcasts that rename events to the permission events of a version.
  private func appendUpcasts(of version: Version, to bytes: inout [UInt8]) {
    let permissions = Set(version.steps.filter(\.isPermission).map(\.id))
    let upcasts = renamed.filter { permissions.contains($0.value.permission) }.sorted { $0.key < $1.key }
    guard !upcasts.isEmpty else { return }
    bytes.append(text: ",\n \"upcasts\":[")
    for (index, (name, meaning)) in upcasts.enumerated() {
      bytes.append(text: index == 0 ? "" : ",\n            ")
      bytes.append(text: "{\"from\":\"\(name)\",\"to\":{\"name\":\"\(meaning.name)\"}}")
    }
    bytes.append(text: "]")
  }
}

extension InferredFlow.Step {
  /// Whether the step is a permission.
  var isPermission: Bool { if case .permission = step { true } else { false } }
}

extension InferredFlow.Version {
  /// The steps with unique IDs, each with the permission that it asks for, or `nil`.
  ///
  /// A permission with the ID of another step is merged into that step.
  fileprivate var uniqueSteps: [(step: InferredFlow.Step, asks: String?)] {
    let screens = Set(steps.filter { !$0.isPermission }.map(\.id))
    let permissions = Set(steps.filter(\.isPermission).map(\.id))
    return steps.filter { !$0.isPermission || !screens.contains($0.id) }.map { step in
      (step, !step.isPermission && permissions.contains(step.id) ? step.id : nil)
    }
  }
}
