import Foundation
import FunnelModel

extension FlowDefinition {
  /// The flow definitions of the repository.
  static let shipped: [FlowDefinition] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Schemas/flows").standardized
    let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    return files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }.map { file in
      do {
        return try FlowDefinition(json: Array(Data(contentsOf: file)), source: file.lastPathComponent)
      } catch {
        fatalError("\(error)")
      }
    }
  }()
}

extension FlowDefinition {
  /// Returns what is wrong with an event by the definition: that the flow does not declare it, or that its properties are not valid.
  func problems(with line: SimulatedLine) -> [String] {
    var problems: [String] = []
    if !FlowVocabulary(self).declares(name: line.name, step: line.step) {
      problems.append("\(line.name) \(line.step ?? "") is not declared")
    }
    func check(_ props: [String: PropertySchema], _ required: [String]) {
      problems += required.filter { line.property($0) == nil }.map { "\(line.name) has no \($0)" }
      for (key, schema) in props {
        guard let value = line.property(key)?.scalar, let problem = schema.violation(of: value, key: key) else { continue }
        problems.append("\(line.name): \(problem)")
      }
    }
    for declared in events where declared.name == line.name {
      check(declared.props, declared.required)
      for ofStep in declared.steps where ofStep.step == line.step { check(ofStep.props, ofStep.required) }
    }
    if line.name.hasPrefix("step_"), let step = steps.first(where: { $0.id == line.step }) {
      check(step.props, step.requiredProps)
    }
    return problems
  }
}
