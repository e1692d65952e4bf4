/// A form control of a served page: an option of the report with its current value.
package enum PageControl: Sendable {
  /// A menu of values, each with its label.
  case choice(name: String, label: String, values: [(value: String, label: String)], chosen: String)
  /// A text field with suggestions. The placeholder describes the meaning of an empty text.
  case text(name: String, label: String, value: String, suggestions: [String], placeholder: String)
  /// A checkbox.
  case check(name: String, label: String, isOn: Bool)

  /// The maximum number of bytes in the text of a control that is one grid column wide.
  private static let oneColumnBytesMax = 14

  /// The length in bytes of the longest text in the control. Zero for a checkbox.
  private var textBytes: Int {
    switch self {
    case .choice(_, _, let values, _): values.lazy.map(\.label.utf8.count).max() ?? 0
    case .text(_, _, let value, _, let placeholder): max(value.utf8.count, placeholder.utf8.count)
    case .check: 0
    }
  }

  /// The label with its field.
  fileprivate var html: HTMLElement {
    // A control with a long text, such as the name of a flow, is two grid columns wide.
    let width: HTMLText? = textBytes > Self.oneColumnBytesMax ? "long" : nil
    switch self {
    case .choice(let name, let label, let values, let chosen):
      return HTMLElement("label", ["class": width], .line) {
        "\(label) "
        HTMLElement("select", ["name": "\(name)"], .lines) {
          for entry in values {
            HTMLElement(
              "option", ["value": "\(entry.value)", "selected": entry.value == chosen ? "selected" : nil], .line
            ) { "\(entry.label)" }
          }
        }
      }
    case .text(let name, let label, let value, let suggestions, let placeholder):
      return HTMLElement("label", ["class": width], .line) {
        "\(label) "
        HTMLElement(
          empty: "input",
          [
            "type": "text", "name": "\(name)", "value": "\(value)", "placeholder": "\(placeholder)",
            "list": suggestions.isEmpty ? nil : "values-\(name)",
          ])
      }
    case .check(let name, let label, let isOn):
      return HTMLElement("label", ["class": "check"], .line) {
        HTMLElement(
          empty: "input",
          ["type": "checkbox", "name": "\(name)", "value": "true", "checked": isOn ? "checked" : nil])
        " \(label)"
      }
    }
  }
}

/// A form that requests the same page with other options.
package enum PageForm {
  /// Returns the form, or an empty text without controls.
  package static func html(_ controls: [PageControl]) -> HTMLText {
    guard !controls.isEmpty else { return "" }
    return HTMLElement("form", ["method": "get", "class": "controls"], .block) {
      for control in controls { control.html }
      HTMLElement("button", ["type": "submit"], .line) { "Show" }
      for list in suggestions(of: controls) {
        HTMLElement("datalist", ["id": "values-\(list.name)"], .block) {
          for value in list.values { HTMLElement("option", ["value": "\(value)"], .line) { "" } }
        }
      }
    }.html
  }

  /// Returns the suggestions of text fields. Controls with the same name share those of the first one.
  private static func suggestions(of controls: [PageControl]) -> [(name: String, values: [String])] {
    var names: Set<String> = []
    return controls.compactMap { control in
      guard case .text(let name, _, _, let suggestions, _) = control, !suggestions.isEmpty, names.insert(name).inserted else {
        return nil
      }
      return (name, suggestions)
    }
  }
}

/// A link of a served page.
package struct PageLink: Sendable {
  let title: String
  /// The percent-encoded path and query.
  let target: String
  /// Whether the link is to the current page.
  let isHere: Bool

  package init(_ title: String, to target: String, isHere: Bool = false) {
    precondition(!target.isEmpty, "a link has a target")
    self.title = title
    self.target = target
    self.isHere = isHere
  }

  package var html: HTMLElement {
    HTMLElement("a", ["href": "\(target)", "aria-current": isHere ? "page" : nil]) { "\(title)" }
  }
}
