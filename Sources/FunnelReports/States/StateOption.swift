import FunnelModel

/// An option of a request that a state stores, in command line notation.
struct StateOption: Sendable {
  /// The part of a request that an option sets.
  enum Target: Sendable {
    /// The query. The function returns the query with the option set to a value, or `nil` if the value is invalid.
    case query(@Sendable (String, ReportQuery) -> ReportQuery?)
    /// The time zone of the query. Its rules are read from a file, by the caller.
    case timeZone
    /// The flows or the app of the request, which are not part of the query.
    case request
  }

  /// The name: `--window`.
  let name: String
  /// The part of the request that the option sets.
  let target: Target
  /// Returns the values of the option in a query, or an empty array for the default.
  let values: @Sendable (ReportQuery) -> [String]

  static let matureName = "--mature"
  static let flowName = "--flow"
  static let appName = "--app"

  /// All options, in the order of the settings of a state.
  static let all: [StateOption] = [
    optional("--window", \.window, text: { "\($0.milliseconds)ms" }, parse: { TimeSpan($0) }),
    choice("--order", \.order, default: .ordered),
    choice("--anchor", \.anchor, default: .first),
    optional("--count-by", \.countBy, text: \.rawValue, parse: { FlowDefinition.CountBy(rawValue: $0) }),
    one("--merge-limit", \.subjectsOfPersonMax, parse: { Int($0).flatMap { $0 > 0 ? $0 : nil } }) {
      $0.subjectsOfPersonMax == Limits.subjectsOfPersonMaxDefault ? [] : [String($0.subjectsOfPersonMax)]
    },
    StateOption(name: "--tz", target: .timeZone) { $0.timeZone == .utc ? [] : [$0.timeZone.name] },
    one(matureName, \.isMature, parse: { $0 == "true" ? true : nil }) { $0.isMature ? ["true"] : [] },
    list("--by", \.by, countMax: Limits.queryTermsMax, text: \.description, parse: { Dimension($0) }),
    list("--where", \.conditions, countMax: Limits.queryTermsMax, text: \.description, parse: { SegmentCondition($0) }),
    choice("--attribution", \.attribution, default: .anchor),
    list("--exclude", \.exclusions, countMax: Limits.flowExclusionsMax, text: \.self, parse: { $0 }),
    optional("--every", \.every, text: \.rawValue, parse: { CalendarUnit(rawValue: $0) }),
    StateOption(name: "--after", target: .query(settingPath(.after))) {
      [$0.path?.key(.after)?.description].compactMap(\.self)
    },
    StateOption(name: "--before", target: .query(settingPath(.before))) {
      [$0.path?.key(.before)?.description].compactMap(\.self)
    },
    StateOption(name: "--goal", target: .query(settingGoal)) { [$0.path?.goal?.description].compactMap(\.self) },
    StateOption(name: "--of", target: .query(settingDriverShare)) { $0.drivers.map { [$0.share.description] } ?? [] },
    StateOption(name: "--depth", target: .query(settingDepth)) { query in
      if let drivers = query.drivers { return [String(drivers.depth)] }
      return query.path.map { [String($0.depth)] } ?? []
    },
    StateOption(name: "--keys", target: .query(addingDriverKey)) { $0.drivers?.keys.all.map(\.description) ?? [] },
    StateOption(name: "--min-groups", target: .query(settingDriverGroups)) { $0.drivers.map { [String($0.groupsMin)] } ?? [] },
    StateOption(name: "--periods", target: .query(settingPeriods)) { $0.retention.map { [String($0.periodCount)] } ?? [] },
    StateOption(name: "--from", target: .query(settingRetentionStart)) { $0.retention.map { [$0.start.rawValue] } ?? [] },
    StateOption(name: "--return", target: .query(addingReturnEvent)) { $0.retention?.returnEvents ?? [] },
    one("--steps", \.steps, parse: steps) { $0.steps.isEmpty ? [] : [$0.steps.map(\.description).joined(separator: ",")] },
    StateOption(name: flowName, target: .request) { _ in [] },
    StateOption(name: appName, target: .request) { _ in [] },
  ]

  private init(name: String, target: Target, values: @escaping @Sendable (ReportQuery) -> [String]) {
    self.name = name
    self.target = target
    self.values = values
  }

  private static func steps(_ text: String) -> [EventKey]? {
    let keys = text.split(separator: ",").map { EventKey($0) }
    return keys.contains(nil) ? nil : keys.compactMap(\.self)
  }
}

extension StateOption {
  /// Returns an option with one value.
  private static func one<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<ReportQuery, Value> & Sendable,
    parse: @escaping @Sendable (String) -> Value?, values: @escaping @Sendable (ReportQuery) -> [String]
  ) -> StateOption {
    StateOption(name: name, target: .parsing(parse) { $0[keyPath: path] = $1 }, values: values)
  }

  /// Returns an option whose value is one of a few words.
  private static func choice<Value: RawRepresentable<String> & Equatable & Sendable>(
    _ name: String, _ path: any WritableKeyPath<ReportQuery, Value> & Sendable, default: Value
  ) -> StateOption {
    one(name, path, parse: { Value(rawValue: $0) }) { query in
      query[keyPath: path] == `default` ? [] : [query[keyPath: path].rawValue]
    }
  }

  /// Returns an option whose property is `nil` by default.
  private static func optional<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<ReportQuery, Value?> & Sendable, text: @escaping @Sendable (Value) -> String,
    parse: @escaping @Sendable (String) -> Value?
  ) -> StateOption {
    StateOption(name: name, target: .parsing(parse) { $0[keyPath: path] = $1 }) { query in
      query[keyPath: path].map { [text($0)] } ?? []
    }
  }

  /// Returns an option that may be repeated up to a maximum.
  private static func list<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<ReportQuery, [Value]> & Sendable, countMax: Int,
    text: @escaping @Sendable (Value) -> String, parse: @escaping @Sendable (String) -> Value?
  ) -> StateOption {
    let target = Target.query { text, query in
      guard let value = parse(text), query[keyPath: path].count < countMax else { return nil }
      var query = query
      query[keyPath: path].append(value)
      return query
    }
    return StateOption(name: name, target: target) { $0[keyPath: path].map(text) }
  }
}

extension StateOption.Target {
  /// Returns the target of an option that sets one property of a query.
  fileprivate static func parsing<Value: Sendable>(
    _ parse: @escaping @Sendable (String) -> Value?, set: @escaping @Sendable (inout ReportQuery, Value) -> Void
  ) -> StateOption.Target {
    .query { text, query in
      guard let value = parse(text) else { return nil }
      var query = query
      set(&query, value)
      return query
    }
  }
}
