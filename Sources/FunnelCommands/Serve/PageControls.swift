import FunnelDecoding
import FunnelKit
import FunnelModel
import FunnelRendering
import FunnelReports

/// Builds the form controls of a served page, filled with the options of the request, in chips. They work without a
/// script.
///
/// Every option of the request has a control, with which it can be removed. Rarely used options have one only
/// if they are set. A repeatable option has one for each value and an empty one.
struct PageControls {
  /// The request of the page.
  let request: ServedRequest
  /// The keys and values of the log to choose from.
  var keys: [OfferedKey] = []

  /// The largest number of values of an offered key. A report with more segments is unreadable.
  static let valuesMax = 100
  /// The largest number of values of a key that are suggested as conditions.
  private static let suggestedValuesMax = 24
  /// The largest number of suggested conditions.
  private static let suggestionsMax = 300

  /// Returns the controls of some reports of a flow.
  ///
  /// - Parameters:
  ///   - flow: The flow of the page.
  ///   - catalog: The flow definitions in effect.
  ///   - events: The names of the events in the log.
  func controls(
    for selection: ReportSelection, of flow: FlowReference, in catalog: FlowCatalog, events: Set<EventTypeName>
  ) -> [PageChip] {
    let names = selection.names
    var chips = [period, segments, conditions]
    if names == [TrendReport.name] || names == [CohortRetentionReport.name] {
      chips.append(
        PageChip(
          "Every", option: "every", unset: names == [TrendReport.name] ? "auto" : CalendarUnit.week.rawValue,
          [choice("every", CalendarUnit.allCases.map(\.rawValue))]))
    }
    var shown: Set<String> = ["flow", "since", "until", "by", "where", "every", "window", "order", "count-by"]
    if names == [NextReport.name] {
      chips += paths
      shown.formUnion(["after", "before", "goal", "depth"])
    }
    if names == [CohortRetentionReport.name] {
      chips.append(retention)
      shown.formUnion(["periods", "from", "return"])
    }
    if names == [DriversReport.name] {
      chips.append(driverOptions)
      shown.formUnion(["of", "keys", "depth"])
    }
    var more = [
      text("window", ["30m", "1d", "7d", "30d"], placeholder: "flow default"),
      choice("order", StepOrder.allCases.map(\.rawValue), usual: StepOrder.ordered.rawValue),
      choice("count-by", FlowDefinition.CountBy.allCases.map(\.rawValue)),
    ]
    // Breaches and drivers count closed windows in their own way.
    if ![[BreachesReport.name], [DriversReport.name]].contains(names) { more.append(mature) }
    shown.insert("mature")
    chips.append(PageChip("More", more + otherOptions(without: shown)))
    return chips + [PageChip("Flow", option: "flow", [flows(in: catalog, events: events, chosen: flow)])]
  }

  /// Returns the controls of a comparison of a flow.
  ///
  /// - Parameter metrics: The metrics of the flow.
  func controls(comparing flow: FlowReference, metrics: [String]) -> [PageChip] {
    let keys = [(value: "", label: "nothing")] + keys.map { (value: $0.name, label: $0.name) }
    let chosen = request.values(of: "by").first ?? ""
    let all = keys.contains { $0.value == chosen } ? keys : keys + [(value: chosen, label: chosen)]
    let by = PageControl.choice(name: "by", label: "By", values: all, chosen: chosen)
    let more =
      [
        text("stratify", self.keys.map(\.name), placeholder: "no key"),
        text("detect", ["1", "2", "5"], placeholder: "5"),
        .check(
          name: "open-too", label: Self.label(of: "open-too"), short: "open too", isOn: !request.values(of: "open-too").isEmpty),
        .check(
          name: "drop-mixed", label: Self.label(of: "drop-mixed"), short: "without mixed",
          isOn: !request.values(of: "drop-mixed").isEmpty),
      ] + otherOptions(without: ServedRequest.namesOfComparison.union(["flow", "since", "until", "by", "where"]))
    return [
      PageChip("By", option: "by", unset: "nothing", [by, text("sides", [], placeholder: "all values")]),
      PageChip(
        "Versions", option: "versions", unset: "all", [text("versions", [], placeholder: "such as 1,2")]),
      period,
      PageChip(
        "Against", option: "versus", unset: "no other period",
        [text("versus", ["previous"], placeholder: "no other period")]),
      PageChip("About", option: "metric", unset: "conversion", [choice("metric", metrics)]), conditions,
      PageChip("More", more),
    ]
  }

  /// The controls of the page that builds funnels.
  var ofExplorer: [PageChip] {
    let shown: Set = ["steps", "app", "since", "until", "where", "window", "order", "mature"]
    let more = [
      text("window", ["30m", "1d", "7d", "30d"], placeholder: "7d"),
      choice("order", StepOrder.allCases.map(\.rawValue), usual: StepOrder.ordered.rawValue), mature,
    ]
    return [
      period, conditions,
      PageChip("Steps", option: "steps", unset: "none", [text("steps", [], placeholder: "event,event")]),
      PageChip("App", option: "app", unset: "any", [text("app", [], placeholder: "any")]),
      PageChip("More", more + otherOptions(without: shown)),
    ]
  }

  /// The controls of the page of all flows.
  var ofAllFlows: [PageChip] {
    [period, PageChip("More", [mature] + otherOptions(without: ["since", "until", "mature"]))]
  }

  /// The controls of the period.
  private var period: PageChip {
    PageChip(
      "Since", option: "since", unset: "all time",
      [
        text("since", ["24h", "7d", "30d", "90d"], placeholder: "beginning"),
        text("until", ["24h", "7d"], placeholder: "now"),
      ])
  }

  /// The controls of the report of drivers.
  private var driverOptions: PageChip {
    PageChip(
      "Of", option: "of", unset: "conversion",
      [
        text("of", label: "Share", ["conversion"], placeholder: "conversion"), text("keys", [], placeholder: "all"),
        choice("depth", label: "Conditions", ["1", "2"], usual: "2"),
      ])
  }

  /// The controls of the report of paths.
  private var paths: [PageChip] {
    [
      PageChip(
        "After", option: "after", unset: "nothing",
        [
          text("after", [], placeholder: "step:welcome"),
          text("before", label: "Or before", [], placeholder: "no event"),
        ]),
      PageChip(
        "Up to", option: "goal", unset: "no event",
        [
          text("goal", [], placeholder: "no event"),
          text("depth", label: "Levels", ["2", "3", "5"], placeholder: String(PathQuery.depthDefault)),
        ]),
    ]
  }

  /// The controls of retention.
  private var retention: PageChip {
    let returns = (request.values(of: "return") + [""]).enumerated().map { index, value in
      PageControl.text(
        name: "return", label: index == 0 ? "Come back by" : "Or by", value: value, suggestions: [], placeholder: "any event")
    }
    return PageChip(
      "Return", option: "return", unset: "any event",
      returns + [
        choice(
          "from", label: "Since they", RetentionQuery.Start.allCases.map(\.rawValue),
          usual: RetentionQuery.Start.entered.rawValue),
        text("periods", label: "Periods", ["4", "8", "12"], placeholder: String(RetentionQuery.periodCountDefault)),
      ])
  }

  /// The control for closed windows.
  private var mature: PageControl {
    .check(name: "mature", label: Self.label(of: "mature"), short: "closed only", isOn: !request.values(of: "mature").isEmpty)
  }

  /// Returns the control that selects the flow.
  ///
  /// It offers the flows of apps that have events, with each version of a flow that has several. Built-in flows
  /// are offered only if they have events themselves.
  private func flows(in catalog: FlowCatalog, events: Set<EventTypeName>, chosen: FlowReference) -> PageControl {
    let apps = Set(events.map(\.app))
    var values: [(value: String, label: String)] = []
    for (index, file) in catalog.files.enumerated() {
      let definition = file.definition
      let hasEvents = events.contains {
        $0.app == definition.app && catalog.declares(index, name: $0.name, step: $0.step)
      }
      guard file.origin == .builtIn ? hasEvents : apps.contains(definition.app) || definition.app == chosen.app else {
        continue
      }
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

  /// The controls of `--by`.
  private var segments: PageChip {
    let chosen = request.values(of: "by")
    let controls = (chosen + [""]).enumerated().map { index, value in
      var values = [(value: "", label: index == 0 ? "nothing" : "nothing more")]
      for value in ["version", "day", "week", "month", "hour", "weekday"] + keys.map(\.name) { values.append((value, value)) }
      if !values.contains(where: { $0.value == value }) { values.append((value, value)) }
      return PageControl.choice(name: "by", label: index == 0 ? "By" : "And by", values: values, chosen: value)
    }
    return PageChip("By", option: "by", unset: "nothing", controls)
  }

  /// The controls of `--where`.
  private var conditions: PageChip {
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
    let controls = (request.values(of: "where") + [""]).enumerated().map { index, value in
      PageControl.text(
        name: "where", label: index == 0 ? "Where" : "And where", value: value,
        suggestions: Array(suggestions.prefix(Self.suggestionsMax)), placeholder: placeholder)
    }
    return PageChip("Where", option: "where", unset: "all", controls)
  }

  /// Returns a text field for an option.
  ///
  /// - Parameter label: The label, or `nil` for the usual one of the option.
  private func text(_ name: String, label: String? = nil, _ suggestions: [String], placeholder: String) -> PageControl {
    .text(
      name: name, label: label ?? Self.label(of: name), value: request.values(of: name).first ?? "", suggestions: suggestions,
      placeholder: placeholder)
  }

  /// Returns a control that selects one of some values.
  ///
  /// - Parameters:
  ///   - label: The label, or `nil` for the usual one of the option.
  ///   - usual: The default value, or `nil` if the flow defines the default.
  private func choice(_ name: String, label: String? = nil, _ values: [String], usual: String? = nil) -> PageControl {
    let chosen = request.values(of: name).first ?? ""
    let others = values.filter { $0 != usual || $0 == chosen }
    return .choice(
      name: name, label: label ?? Self.label(of: name),
      values: [(value: "", label: usual ?? "flow default")] + others.map { (value: $0, label: $0) },
      chosen: chosen)
  }

  /// Returns text fields for the request's options that have no other control.
  ///
  /// - Parameter shown: The options that have another control.
  private func otherOptions(without shown: Set<String>) -> [PageControl] {
    request.options.compactMap { name, value in
      shown.contains(name)
        ? nil : .text(name: name, label: Self.label(of: name), value: value ?? "", suggestions: [], placeholder: "")
    }
  }

  /// Returns the label of an option on pages and in their messages.
  static func label(of name: String) -> String { labels[name] ?? name }

  /// The labels of options by their names. Some pages label the same option in another way.
  private static let labels = [
    "now": "As of", "as-of": "Log as it stood at", "tz": "Time zone", "internal": "Count internal subjects",
    "attribution": "Value of a missing key", "steps": "Steps", "min-groups": "Least number", "exclude": "Without", "app": "App",
    "order": "Order", "window": "Window", "count-by": "Count by", "since": "Since", "until": "Until", "by": "By",
    "where": "Where",
    "every": "Every", "mature": "Closed windows only", "keys": "Keys", "anchor": "Start that counts", "flow": "Flow",
    "merge-limit": "Merge limit", "stratify": "Within", "detect": "Points to detect", "sides": "Sides",
    "versions": "Versions", "versus": "Against", "metric": "About", "open-too": "Open windows too",
    "drop-mixed": "Without people on two sides", "return": "Come back by", "goal": "Up to", "after": "After",
    "before": "Before",
  ]
}
