/// The name of a metric of a flow version, in the notation of `--metric`: `conversion`, `reached:photos`,
/// `grant_rate:photos`.
package enum MetricName: Hashable, Sendable, CustomStringConvertible {
  /// The share of the entered groups that completed.
  case conversion
  /// The share of the entered groups that reached a step.
  case reached(step: String)
  /// The share of the prompted groups that granted a permission.
  case grantRate(permission: String)
  /// The share of the prompted groups with access, which may be limited or provisional.
  case accessRate(permission: String)
  /// The share of the groups that granted, among those that answered the system's dialog.
  case dialogGrantRate(permission: String)

  /// Parses a name. Returns `nil` if it has an unknown form.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.dropFirst().first) {
    case ("conversion", nil): self = .conversion
    case ("reached", let step?): self = .reached(step: step)
    case ("grant_rate", let permission?): self = .grantRate(permission: permission)
    case ("access_rate", let permission?): self = .accessRate(permission: permission)
    case ("dialog_grant_rate", let permission?): self = .dialogGrantRate(permission: permission)
    default: return nil
    }
  }

  package var description: String {
    switch self {
    case .conversion: "conversion"
    case .reached(let step): "reached:\(step)"
    case .grantRate(let permission): "grant_rate:\(permission)"
    case .accessRate(let permission): "access_rate:\(permission)"
    case .dialogGrantRate(let permission): "dialog_grant_rate:\(permission)"
    }
  }

  /// The permission that the metric is about, or `nil` if it is about the flow or one of its steps.
  var permission: String? {
    switch self {
    case .conversion, .reached: nil
    case .grantRate(let permission), .accessRate(let permission), .dialogGrantRate(let permission): permission
    }
  }
}
