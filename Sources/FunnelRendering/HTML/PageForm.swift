import FunnelModel

/// A form control of a served page: an option of the report with its current value.
package enum PageControl: Sendable {
  /// A menu of values, each with its label.
  case choice(name: String, label: String, values: [(value: String, label: String)], chosen: String)
  /// A text field with suggestions. The placeholder describes the meaning of an empty text.
  case text(name: String, label: String, value: String, suggestions: [String], placeholder: String)
  /// A checkbox. The short text is that of the chip if it is on.
  case check(name: String, label: String, short: String, isOn: Bool)

  /// The name of the option.
  fileprivate var name: String {
    switch self {
    case .choice(let name, _, _, _), .text(let name, _, _, _, _), .check(let name, _, _, _): name
    }
  }

  private var label: String {
    switch self {
    case .choice(_, let label, _, _), .text(_, let label, _, _, _), .check(_, let label, _, _): label
    }
  }

  /// The value of the option, or `nil` if it is not set.
  fileprivate var value: String? {
    switch self {
    case .choice(_, _, _, let chosen): chosen.isEmpty ? nil : chosen
    case .text(_, _, let value, _, _): value.isEmpty ? nil : value
    case .check(_, let label, _, let isOn): isOn ? label.lowercasedFirst : nil
    }
  }

  /// The value in a few characters, or `nil` if the option is not set. A time is its date.
  fileprivate var shortValue: String? {
    if case .check(_, _, let short, let isOn) = self { return isOn ? short : nil }
    return value.map { Timestamp(rfc3339: $0) == nil ? $0 : String($0.prefix("2026-11-21".count)) }
  }

  /// The value after the label of the option, or `nil` if the option is not set.
  fileprivate var labeledValue: String? {
    if case .check = self { return value }
    return value.map { "\(label.lowercasedFirst) \($0)" }
  }

  /// The label with its field.
  fileprivate var html: HTMLElement {
    switch self {
    case .choice(let name, let label, let values, let chosen):
      return HTMLElement("label", [:], .line) {
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
      return HTMLElement("label", [:], .line) {
        "\(label) "
        HTMLElement(
          empty: "input",
          [
            "type": "text", "name": "\(name)", "value": "\(value)", "placeholder": "\(placeholder)",
            "list": suggestions.isEmpty ? nil : "values-\(name)",
          ])
      }
    case .check(let name, let label, _, let isOn):
      return HTMLElement("label", ["class": "check"], .line) {
        HTMLElement(
          empty: "input",
          ["type": "checkbox", "name": "\(name)", "value": "true", "checked": isOn ? "checked" : nil])
        " \(label)"
      }
    }
  }
}

/// A group of controls of a served page. It shows their values in a line, and opens on a click or a key.
package struct PageChip: Sendable {
  /// The option that the chip is named after, or `nil` if it has several unrelated ones.
  let option: String?
  let label: String
  /// The value that is shown if no control is set, or `nil` to show only the label.
  let unset: String?
  let controls: [PageControl]

  /// Creates a chip with at least one control.
  package init(_ label: String, option: String? = nil, unset: String? = nil, _ controls: [PageControl]) {
    precondition(!controls.isEmpty, "a chip opens controls")
    self.label = label
    self.option = option
    self.unset = unset
    self.controls = controls
  }

  /// The values of the controls that are set, with their labels if the chip is not named after them.
  private var values: [String] { controls.compactMap { $0.name == option ? $0.value : $0.labeledValue } }

  /// The text of the chip, which has room for about 20 characters: the first value that is set, and the number of others.
  private var shortValue: String? {
    let values = controls.compactMap(\.shortValue)
    guard let first = values.first else { return unset }
    return values.count > 1 ? "\(first) +\(values.count - 1)" : first
  }

  fileprivate var html: HTMLElement {
    let values = values
    // Chips of the same name close each other.
    return HTMLElement("details", ["class": values.isEmpty ? "chip" : "chip set", "name": "options"], .block) {
      HTMLElement("summary", ["title": values.isEmpty ? nil : "\(values.joined(separator: ", "))"], .line) {
        "\(label)"
        if let shown = shortValue {
          ": "
          HTMLElement("b") { .isolated(shown) }
        }
      }
      HTMLElement("div", ["class": "controls"], .block) {
        for control in controls { control.html }
        HTMLElement("button", ["type": "submit"], .line) { "Show" }
      }
    }
  }
}

/// A form that requests the same page with other options.
package enum PageForm {
  /// Returns the form as one line of chips, or an empty text without chips.
  package static func html(_ chips: [PageChip]) -> HTMLText {
    guard !chips.isEmpty else { return "" }
    let controls = chips.flatMap(\.controls)
    return HTMLElement("form", ["method": "get", "class": "chips", "aria-label": "Options"], .block) {
      for chip in chips { chip.html }
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

extension String {
  /// The text with a small first letter.
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
