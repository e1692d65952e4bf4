import FunnelDecoding
import FunnelInference
package import FunnelModel

/// The result of comparing flow definitions with the events of a log (`funnel schema check --against`).
package struct LogComparison {
  private let lines: [String]
  private let findingCount: Int

  init(_ findings: DefinitionFindings, catalog: FlowCatalog) {
    var lines: [String] = []
    for (index, definition) in catalog.definitions.enumerated() {
      let own = findings.findings.filter { $0.flow == index }
      if own.isEmpty {
        lines.append("ok \(definition.reference): \(Quantity.counted(findings.subjects[index] ?? 0, "subject"))")
      }
      lines += own.map { "\(definition.reference): \($0.sentence)" }
    }
    let apps = Set(catalog.definitions.map(\.app))
    let answers = UnknownAnswers(catalog: catalog, flows: Set(catalog.definitions.indices))
    var advised = 0
    for (name, count) in findings.unclaimed where apps.contains(name.app) {
      guard
        let advice = UnclaimedReport.advice(for: name, in: catalog)
          ?? (answers.includes(name) ? "not an answer that a flow declares for the permission" : nil)
      else { continue }
      advised += 1
      if advised <= Self.namesMax {
        lines.append("\(UnclaimedReport.text(name)): \(Quantity.counted(count, "event")), \(advice)")
      }
    }
    if advised > Self.namesMax { lines.append("and \(Quantity.counted(advised - Self.namesMax, "more name")) like these") }
    findingCount = findings.findings.count + advised
    self.lines = lines.map(\.printable)
  }

  /// The largest number of undeclared names listed.
  private static let namesMax = 20

  /// A line for each definition without findings, and one for each finding.
  package var text: String { lines.map { $0 + "\n" }.joined() }

  /// The error with the number of findings, or `nil` if there are none.
  package var error: FunnelError? {
    guard findingCount > 0 else { return nil }
    return FunnelError(
      .unusableInput,
      "\(Quantity.counted(findingCount, "finding")), fix the definitions or the app's logging, or map the names (--map)")
  }
}
