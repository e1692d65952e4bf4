import FunnelIndex
import FunnelIngest
import FunnelModel
import FunnelReports

/// The controls of a served page: what a report can be asked, filled with what was asked. They send a form, so they need no script.
///
/// Whatever was asked has a control, so that it can be taken back: options that are seldom asked have one only then, and a repeated one
/// has as many as it has values, and one more.
struct PageControls {
  let asked: ServedRequest
  /// The keys and values to choose from, from what the log has.
  var keys: [OfferedKey] = []

  /// The number of values of a key beyond which it is not offered: nobody reads a report of so many segments.
  static let valuesMax = 100
  /// The number of values up to which those of a key are suggested as conditions, and that of all suggestions.
  private static let suggestedValuesMax = 24
  private static let suggestionsMax = 300

  /// Returns the controls of some reports of a flow.
  ///
  /// - Parameters:
  ///   - flow: The flow of the page.
  ///   - catalog: All flows there are.
  ///   - events: The events that the log has.
  func controls(
    for selection: ReportSelection, of flow: FlowReference, in catalog: FlowCatalog, events: Set<EventTypeName>
  ) -> [PageControl] {
    let names = selection.names
    var controls = [flows(in: catalog, events: events, chosen: flow)] + period + segments + conditions
    controls += [
      text("window", "Window", ["30m", "1d", "7d", "30d"], placeholder: "flow default"),
      choice("order", "Order", StepOrder.allCases.map(\.rawValue), usual: StepOrder.ordered.rawValue),
      choice("count-by", "Count by", FlowDefinition.CountBy.allCases.map(\.rawValue)),
    ]
    if names == [TrendReport.name] { controls.append(choice("every", "Every", CalendarUnit.allCases.map(\.rawValue))) }
    if names == [NextReport.name] { controls.append(text("after", "After", [], placeholder: "step:welcome")) }
    if names != [BreachesReport.name] { controls.append(mature) }
    return controls + rest(without: names == [BreachesReport.name] ? ["mature"] : [])
  }

  /// The controls of the page of all flows.
  var ofAllFlows: [PageControl] { period + [mature] + rest(without: []) }

  private var period: [PageControl] {
    [
      text("since", "Since", ["24h", "7d", "30d", "90d"], placeholder: "beginning"),
      text("until", "Until", ["24h", "7d"], placeholder: "now"),
    ]
  }

  private var mature: PageControl {
    .check(name: "mature", label: "Closed windows only", isOn: !asked.values(of: "mature").isEmpty)
  }

  /// The flows of the apps that have events, and the versions of those that have several. A built-in flow is a flow of the user's only if
  /// there are events of it.
  private func flows(in catalog: FlowCatalog, events: Set<EventTypeName>, chosen: FlowReference) -> PageControl {
    let apps = Set(events.map(\.app))
    var values: [(value: String, label: String)] = []
    for (index, file) in catalog.files.enumerated() {
      let definition = file.definition
      let hasEvents = events.contains {
        $0.app == definition.app && catalog.declares(index, name: $0.name, step: $0.step)
      }
      guard file.isBuiltIn ? hasEvents : apps.contains(definition.app) || definition.app == chosen.app else { continue }
      let flow = FlowReference(app: definition.app, flow: definition.flow)
      guard !values.contains(where: { $0.value == "\(flow)" }) else { continue }
      values.append(("\(flow)", "\(flow)"))
      let versions = catalog.indices(of: flow).map { catalog.definitions[$0].version }
      guard versions.count > 1 else { continue }
      values += versions.map { ("\(flow)@\($0)", "\(flow) v\($0)") }
    }
    if !values.contains(where: { $0.value == "\(chosen)" }) { values.append(("\(chosen)", "\(chosen)")) }
    return .choice(name: "flow", label: "Flow", values: values, chosen: "\(chosen)")
  }

  private var segments: [PageControl] {
    let chosen = asked.values(of: "by")
    return (chosen + [""]).enumerated().map { index, value in
      var values = [(value: "", label: index == 0 ? "nothing" : "nothing more")]
      for value in ["version", "day", "week", "month", "hour", "weekday"] + keys.map(\.name) { values.append((value, value)) }
      if !values.contains(where: { $0.value == value }) { values.append((value, value)) }
      return .choice(name: "by", label: index == 0 ? "By" : "And by", values: values, chosen: value)
    }
  }

  private var conditions: [PageControl] {
    var suggestions: [String] = []
    for key in keys {
      suggestions.append("\(key.name)=")
      guard key.values.count <= Self.suggestedValuesMax else { continue }
      suggestions += key.values.map {
        "\(key.name)=\($0.split(separator: ",", omittingEmptySubsequences: false).joined(separator: "\\,"))"
      }
    }
    let example = keys.first { $0.name == "ctx.country" } ?? keys.first
    let placeholder = "such as " + (example.map { "\($0.name)=\($0.values.first ?? "")" } ?? "ctx.country=DE")
    return (asked.values(of: "where") + [""]).enumerated().map { index, value in
      .text(
        name: "where", label: index == 0 ? "Where" : "And where", value: value,
        suggestions: Array(suggestions.prefix(Self.suggestionsMax)), placeholder: placeholder)
    }
  }

  private func text(_ name: String, _ label: String, _ suggestions: [String], placeholder: String) -> PageControl {
    .text(
      name: name, label: label, value: asked.values(of: name).first ?? "", suggestions: suggestions, placeholder: placeholder)
  }

  /// Returns a control for one of some values. Unless it is known what is usual, the flow decides.
  private func choice(_ name: String, _ label: String, _ values: [String], usual: String? = nil) -> PageControl {
    let chosen = asked.values(of: name).first ?? ""
    let others = values.filter { $0 != usual || $0 == chosen }
    return .choice(
      name: name, label: label, values: [(value: "", label: usual ?? "flow default")] + others.map { (value: $0, label: $0) },
      chosen: chosen)
  }

  /// What is asked besides.
  private func rest(without hidden: Set<String>) -> [PageControl] {
    let shown: Set = ["flow", "since", "until", "by", "where", "window", "order", "count-by", "every", "after", "mature"]
    return asked.options.compactMap { name, value in
      shown.contains(name) || hidden.contains(name)
        ? nil : .text(name: name, label: Self.labels[name] ?? name, value: value ?? "", suggestions: [], placeholder: "")
    }
  }

  /// The labels of options that have a control only where they are asked.
  private static let labels = [
    "now": "As of", "as-of": "Log as it stood at", "tz": "Time zone", "internal": "Count internal subjects",
    "attribution": "Value of a missing key", "steps": "Steps", "exclude": "Without", "app": "App",
  ]
}
