import FunnelModel
import FunnelSchemas

/// The result of checking flow definitions (`funnel schema check`).
struct SchemaCheckResult {
  /// The problems of each definition, and the findings of a strict check.
  private var files: [(outcome: SchemaDirectory.Outcome, problems: [String], findings: [String])]

  /// - Parameter isStrict: Whether to also find things that are allowed but probably not intended.
  init(of outcomes: [SchemaDirectory.Outcome], isStrict: Bool) {
    var pathByReference: [String: String] = [:]
    files = outcomes.map { outcome in
      switch outcome.result {
      case .failure(let failure): return (outcome, failure.problems.map(\.description), [])
      case .success(let file):
        let reference = file.definition.reference
        let first = pathByReference[reference, default: outcome.path]
        pathByReference[reference] = first
        guard first != outcome.path else { return (outcome, [], []) }
        let problem =
          "\(outcome.path.printable):1:1: $: \(reference) is also defined by \(first.printable), remove one of the files"
        return (outcome, [problem], [])
      }
    }
    if isStrict { addFindings() }
  }

  /// The result as text, with a line for each valid definition, each problem and each finding.
  var text: String {
    files.flatMap { outcome, problems, findings in
      guard problems.isEmpty, findings.isEmpty, case .success(let file) = outcome.result else { return problems + findings }
      return ["ok \(outcome.path.printable) \(file.definition.reference)"]
    }.map { $0 + "\n" }.joined()
  }

  /// The error with the number of problems and findings, or `nil` if there are none.
  var error: FunnelError? {
    let problemCount = files.reduce(0) { $0 + $1.problems.count }
    let findingCount = files.reduce(0) { $0 + $1.findings.count }
    let counts = [(problemCount, "problem"), (findingCount, "finding")].filter { $0.0 > 0 }.map(Quantity.counted)
    guard !counts.isEmpty else { return nil }
    let affected = files.count { !$0.problems.isEmpty || !$0.findings.isEmpty }
    let remedy =
      problemCount == 0 ? "fix the problems above, or run it without --strict" : "fix the problems above and run it again"
    let all = Quantity.counted(files.count, "file")
    return FunnelError(.configuration, "\(counts.joined(separator: " and ")) in \(affected) of \(all), \(remedy)")
  }

  /// Adds the findings of a strict check of the valid definitions, together with the built-in flows of the same
  /// apps that they do not replace.
  private mutating func addFindings() {
    let sound: [(index: Int, file: FlowFile)] = files.indices.compactMap { index in
      guard files[index].problems.isEmpty, case .success(let file) = files[index].outcome.result else { return nil }
      return (index, file)
    }
    let apps = Set(sound.map(\.file.definition.app))
    let references = Set(sound.map(\.file.definition.reference))
    let others = BuiltInSchemas.flowFiles.filter {
      apps.contains($0.definition.app) && !references.contains($0.definition.reference)
    }
    let findings = FlowFindings.findings(in: sound.map(\.file), beside: others)
    for ((index, _), found) in zip(sound, findings) { files[index].findings = found.map(\.description) }
  }
}
