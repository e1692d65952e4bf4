/// A control of a served page: what a report can be asked, with what it was asked.
public enum PageControl: Sendable {
  /// A choice among values, each with its label.
  case choice(name: String, label: String, values: [(value: String, label: String)], chosen: String)
  /// A text, with values to choose from, and what is meant if it is empty.
  case text(name: String, label: String, value: String, suggestions: [String], placeholder: String)
  case check(name: String, label: String, isOn: Bool)
}

/// A link of a served page.
public struct PageLink: Sendable {
  public var title: String
  /// The path and the query, escaped as a URL is.
  public var target: String
  public var isHere: Bool

  public init(_ title: String, to target: String, isHere: Bool = false) {
    (self.title, self.target, self.isHere) = (title, target, isHere)
  }
}
