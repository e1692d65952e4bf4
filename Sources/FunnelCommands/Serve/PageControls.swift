import FunnelModel
import FunnelReports

/// The controls of a served page: what a report can be asked, filled with what was asked. They send a form, so they need no script.
struct PageControls {
  let asked: ServedQuestion
  /// The keys to choose from, from what the log has.
  let keys: [Dimension]

  /// The number of values of a key beyond which it is not offered: nobody reads a report of so many segments.
  static let valuesMax = 100

  /// Returns the controls of some reports.
  func controls(for selection: ReportSelection) -> [PageControl] {
    var controls: [PageControl] = [
      text("since", "Since", ["24h", "7d", "30d", "90d"]), text("until", "Until", ["24h", "7d"]), by,
      text("where", "Where", keys.map { "\($0)=" }), text("window", "Window", ["30m", "1d", "7d", "30d"]),
      choice("order", "Order", StepOrder.allCases.map(\.rawValue)),
      choice("count-by", "Count by", FlowDefinition.CountBy.allCases.map(\.rawValue)),
    ]
    if selection.names == [TrendReport.name] {
      controls.append(choice("every", "Every", CalendarUnit.allCases.map(\.rawValue)))
    }
    if selection.names == [NextReport.name] { controls.append(text("after", "After", [])) }
    if selection.names != [BreachesReport.name] {
      controls.append(.check(name: "mature", label: "Closed windows only", isOn: !asked.values(of: "mature").isEmpty))
    }
    return controls + rest
  }

  private var by: PageControl {
    let chosen = asked.values(of: "by").first ?? ""
    var values = [(value: "", label: "nothing")]
    for value in ["version", "day", "week", "month"] + keys.map(\.description) { values.append((value, value)) }
    if !values.contains(where: { $0.value == chosen }) { values.append((chosen, chosen)) }
    return .choice(name: "by", label: "By", values: values, chosen: chosen)
  }

  private func text(_ name: String, _ label: String, _ suggestions: [String]) -> PageControl {
    .text(name: name, label: label, value: asked.values(of: name).first ?? "", suggestions: suggestions)
  }

  private func choice(_ name: String, _ label: String, _ values: [String]) -> PageControl {
    let chosen = asked.values(of: name).first ?? ""
    return .choice(
      name: name, label: label, values: [(value: "", label: "usual")] + values.map { (value: $0, label: $0) }, chosen: chosen)
  }

  /// What is asked and has no control, or a second time.
  private var rest: [PageControl] {
    var shown: Set = ["since", "until", "by", "where", "window", "order", "count-by", "every", "after", "mature"]
    return asked.options.compactMap { name, value in
      let isShown = shown.remove(name) != nil
      return isShown ? nil : .hidden(name: name, value: value ?? "true")
    }
  }
}
