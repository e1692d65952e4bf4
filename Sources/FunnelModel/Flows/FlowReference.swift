/// A reference to a flow, as a user writes it: `cleaner/permissions_flow`, or one version of it, `clarity/onboarding@2`.
public struct FlowReference: Hashable, Sendable, CustomStringConvertible {
  public var app: String
  public var flow: String
  /// The version, or nil for all versions.
  public var version: Int?

  public init(app: String, flow: String, version: Int? = nil) {
    self.app = app
    self.flow = flow
    self.version = version
  }

  /// Parses `APP/FLOW` or `APP/FLOW@VERSION`; returns nil for any other text.
  public init?(_ text: some StringProtocol) {
    let halves = String(text).split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let names = halves[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard names.count == 2, names.allSatisfy(ConfigurationReader.isName) else { return nil }
    app = names[0]
    flow = names[1]
    guard halves.count == 2 else { return }
    guard halves[1].utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(halves[1]), number >= 1 else { return nil }
    version = number
  }

  public var description: String { "\(app)/\(flow)\(version.map { "@\($0)" } ?? "")" }
}
