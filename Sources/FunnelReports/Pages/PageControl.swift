/// A form control of a served page: an option of the report with its current value.
public enum PageControl: Sendable {
  /// A menu of values, each with its label.
  case choice(name: String, label: String, values: [(value: String, label: String)], chosen: String)
  /// A text field with suggestions. The placeholder describes the meaning of an empty text.
  case text(name: String, label: String, value: String, suggestions: [String], placeholder: String)
  /// A checkbox.
  case check(name: String, label: String, isOn: Bool)
}

/// A link of a served page.
public struct PageLink: Sendable {
  public var title: String
  /// The percent-encoded path and query.
  public var target: String
  /// Whether the link is to the current page.
  public var isHere: Bool

  public init(_ title: String, to target: String, isHere: Bool = false) {
    self.title = title
    self.target = target
    self.isHere = isHere
  }
}
