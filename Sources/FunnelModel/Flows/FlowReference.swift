/// A reference to a flow (`cleaner/permissions_flow`) or to one version of it (`clarity/onboarding@2`).
///
///     FlowReference("clarity/onboarding@2")?.version   // 2
package struct FlowReference: Hashable, Sendable, CustomStringConvertible {
  package var app: String
  /// The ID of the flow.
  package var flow: String
  /// The version, or `nil` for all versions.
  package var version: Int?

  package init(app: String, flow: String, version: Int? = nil) {
    self.app = app
    self.flow = flow
    self.version = version
  }

  /// Parses `APP/FLOW` or `APP/FLOW@VERSION`, or returns `nil` for any other text.
  package init?(_ text: some StringProtocol) {
    let halves = String(text).split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let names = halves[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard names.count == 2, names.allSatisfy(NameSyntax.matches) else { return nil }
    app = names[0]
    flow = names[1]
    guard halves.count == 2 else { return }
    guard halves[1].utf8.allSatisfy(\.isASCIIDigit), let number = Int(halves[1]), number >= 1 else { return nil }
    version = number
  }

  package var description: String { "\(app)/\(flow)\(version.map { "@\($0)" } ?? "")" }
}

extension FlowReference: Comparable {
  /// The order of reports: by app, flow and version.
  package static func < (a: FlowReference, b: FlowReference) -> Bool {
    (a.app, a.flow, a.version ?? 0) < (b.app, b.flow, b.version ?? 0)
  }
}
