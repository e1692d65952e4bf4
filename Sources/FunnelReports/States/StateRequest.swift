package import FunnelModel

/// The inputs of a state's counts other than its events and its period: query options, flow definitions, and reports.
///
/// States can be merged only if their requests are equal.
package struct StateRequest: Hashable, Sendable {
  /// One option of the query, in command line notation.
  package struct Setting: Hashable, Sendable {
    package let option: String
    package let value: String

    /// The error for an unknown option or an invalid value.
    fileprivate var unreadable: FunnelError {
      FunnelError(
        .unusableInput,
        "an option of the state can't be read, \(option.printable) \(value.printable), was it written by a newer version of funnel?"
      )
    }
  }

  /// The options that differ from their defaults, in the order of ``StateRequest/settings(of:flows:app:)``.
  package let settings: [Setting]
  /// The files of the flow definitions in force, in the order of the catalog.
  package let definitions: [[UInt8]]
  /// The names of the counted reports, in output order.
  package let reports: [String]

  /// Creates the request of a fold.
  ///
  /// - Parameters:
  ///   - flows: The values of `--flow`.
  ///   - app: The app of an ad-hoc flow, or `nil` if it is not given.
  ///   - catalog: The definitions in force, without ad-hoc flows.
  package init(_ query: ReportQuery, flows: [String], app: String?, catalog: FlowCatalog, selection: ReportSelection) {
    precondition(!catalog.hasAdHocFlows, "an ad-hoc flow is made anew of the query")
    settings = Self.settings(of: query, flows: flows, app: app)
    definitions = catalog.files.map(\.bytes)
    reports = selection.names
  }

  init(settings: [Setting], definitions: [[UInt8]], reports: [String]) {
    self.settings = settings
    self.definitions = definitions
    self.reports = reports
  }

  /// The selection of all counted reports.
  package var selection: ReportSelection { ReportSelection(names: reports) }

  /// The values of `--flow`.
  package var flows: [String] { values(of: StateOption.flowName) }

  /// The app of an ad-hoc flow, or `nil` if it was not given.
  package var app: String? { values(of: StateOption.appName).first }

  /// Returns the definitions in force.
  ///
  /// - Throws: ``FunnelError`` (`configuration`) if a definition can't be read, for example because a newer
  ///   version of the tool wrote it.
  package func catalog() throws(FunnelError) -> FlowCatalog {
    let files = try definitions.map { (bytes) throws(FunnelError) in
      try FlowFile(json: bytes, name: "a definition of the state")
    }
    return try FlowCatalog(layers: [files])
  }

  /// Whether only groups with closed windows were counted.
  package var isMature: Bool { !values(of: StateOption.matureName).isEmpty }

  /// Returns the values of an option, in their order.
  private func values(of option: String) -> [String] { settings.filter { $0.option == option }.map(\.value) }
}

extension StateRequest {
  /// Returns the options of a query that affect its counts, except its period and `now`.
  ///
  /// An option with its default value has no setting, so equal queries have equal settings.
  private static func settings(of query: ReportQuery, flows: [String], app: String?) -> [Setting] {
    StateOption.all.flatMap { option in option.values(query).map { Setting(option: option.name, value: $0) } }
      + Set(flows).sorted().map { Setting(option: StateOption.flowName, value: $0) }
      + (app.map { [Setting(option: StateOption.appName, value: $0)] } ?? [])
  }

  /// Returns the query with these options, for a period.
  ///
  /// - Parameter timeZone: Returns the rules of the time zone with a name.
  /// - Throws: The error of `timeZone`, or ``FunnelError`` (`unusableInput`) if a setting is unknown, for
  ///   example because a newer version of the tool wrote it.
  package func query(
    of period: StatePeriod, timeZone: (String) throws(FunnelError) -> TimeZoneRules
  ) throws(FunnelError) -> ReportQuery {
    var query = ReportQuery(now: period.now)
    query.since = period.since
    query.until = period.until
    for setting in settings {
      switch StateOption.all.first(where: { $0.name == setting.option })?.target {
      case .query(let applying)?:
        guard let changed = applying(setting.value, query) else { throw setting.unreadable }
        query = changed
      case .timeZone?: query.timeZone = try timeZone(setting.value)
      case .request?: break
      case nil: throw setting.unreadable
      }
    }
    return query
  }
}

extension StateRequest {
  /// Returns the first difference between two requests, as a clause about the other one, or `nil` if they are equal.
  func difference(from other: StateRequest) -> String? {
    guard self != other else { return nil }
    for option in StateOption.all.map(\.name) {
      let own = values(of: option)
      let others = other.values(of: option)
      guard own != others else { continue }
      return "\(option) is \(Self.text(others)), not \(Self.text(own))"
    }
    if let difference = definitionDifference(from: other) { return difference }
    return "it has the reports \(other.reports.joined(separator: ", ")), not \(reports.joined(separator: ", "))"
  }

  private static func text(_ values: [String]) -> String {
    values.isEmpty ? "left out" : values.map(\.printable).joined(separator: " and ")
  }

  /// Returns the first difference between the definitions of two requests, as a clause about the other one, or
  /// `nil` if they are equal.
  package func definitionDifference(from other: StateRequest) -> String? {
    guard definitions != other.definitions else { return nil }
    let own = filesByReference
    let others = other.filesByReference
    for reference in Set(own.keys).union(others.keys).sorted() where own[reference] != others[reference] {
      if own[reference] == nil { return "it also has the flow \(reference)" }
      return others[reference] == nil ? "it does not have the flow \(reference)" : "its definition of \(reference) differs"
    }
    return "its flow definitions differ"
  }

  private var filesByReference: [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for bytes in definitions {
      guard let file = try? FlowFile(json: bytes, name: "") else { continue }
      files[file.definition.reference] = bytes
    }
    return files
  }
}
