import FunnelModel

/// An option of a query that a state stores, in command line notation.
struct StateOption: Sendable {
  /// The name: `--window`.
  let name: String
  /// Returns the values of the option in a query, or an empty array for the default.
  let values: @Sendable (ReportQuery) -> [String]
  /// Sets the option of a query to a value. Returns `false` if the value is invalid.
  let apply: @Sendable (String, inout ReportQuery) -> Bool

  /// All options, in the order of the settings of a state.
  static let all: [StateOption] = [
    optional("--window", \.window, text: { "\($0.milliseconds)ms" }, parse: { TimeSpan($0) }),
    choice("--order", \.order, default: .ordered),
    choice("--anchor", \.anchor, default: .first),
    optional("--count-by", \.countBy, text: \.rawValue, parse: { FlowDefinition.CountBy(rawValue: $0) }),
    timeZone,
    StateOption(name: matureName, values: { $0.isMature ? ["true"] : [] }) { value, query in
      query.isMature = true
      return value == "true"
    },
    list("--by", \.by, text: \.description, parse: { Dimension($0) }),
    list("--where", \.conditions, text: \.description, parse: { SegmentCondition($0) }),
    choice("--attribution", \.attribution, default: .anchor),
    StateOption(name: "--exclude", values: \.exclusions) { value, query in
      query.exclusions.append(value)
      return true
    },
    optional("--every", \.every, text: \.rawValue, parse: { CalendarUnit(rawValue: $0) }),
    optional("--after", \.after, text: \.description, parse: { EventKey($0) }),
    StateOption(name: "--depth", values: { $0.after == nil ? [] : [String($0.depth)] }) { value, query in
      guard let depth = Int(value), (1...Limits.pathEventsMax).contains(depth) else { return false }
      query.depth = depth
      return true
    },
    StateOption(name: "--steps", values: { $0.steps.isEmpty ? [] : [$0.steps.map(\.description).joined(separator: ",")] }) {
      value, query in
      let keys = value.split(separator: ",").map { EventKey($0) }
      query.steps = keys.compactMap(\.self)
      return query.steps.count == keys.count
    },
    StateOption(name: flowName, values: { _ in [] }) { _, _ in true },
    StateOption(name: appName, values: { _ in [] }) { _, _ in true },
  ]

  /// The time zone, which ``apply`` can't set, because its rules are read from a file.
  static let timeZone = StateOption(name: "--tz", values: { $0.timeZone == .utc ? [] : [$0.timeZone.name] }) { _, _ in false }

  static let matureName = "--mature"
  static let flowName = "--flow"
  static let appName = "--app"

  private static func choice<Value: RawRepresentable<String> & Equatable & Sendable>(
    _ name: String, _ path: any WritableKeyPath<ReportQuery, Value> & Sendable, default: Value
  ) -> StateOption {
    StateOption(name: name, values: { $0[keyPath: path] == `default` ? [] : [$0[keyPath: path].rawValue] }) { text, query in
      guard let value = Value(rawValue: text) else { return false }
      query[keyPath: path] = value
      return true
    }
  }

  private static func optional<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<ReportQuery, Value?> & Sendable, text: @escaping @Sendable (Value) -> String,
    parse: @escaping @Sendable (String) -> Value?
  ) -> StateOption {
    StateOption(name: name, values: { $0[keyPath: path].map { [text($0)] } ?? [] }) { text, query in
      guard let value = parse(text) else { return false }
      query[keyPath: path] = value
      return true
    }
  }

  private static func list<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<ReportQuery, [Value]> & Sendable, text: @escaping @Sendable (Value) -> String,
    parse: @escaping @Sendable (String) -> Value?
  ) -> StateOption {
    StateOption(name: name, values: { $0[keyPath: path].map(text) }) { text, query in
      guard let value = parse(text), query[keyPath: path].count < Limits.queryTermsMax else { return false }
      query[keyPath: path].append(value)
      return true
    }
  }
}
