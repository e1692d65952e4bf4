public import FunnelModel

/// The inputs of a state's counts other than its events and its period: query options, flow definitions, and reports.
///
/// States can be merged only if their requests are equal.
public struct StateRequest: Hashable, Sendable {
  /// One option of the query, in command line notation.
  public struct Setting: Hashable, Sendable {
    public let option: String
    public let value: String
  }

  /// The options that differ from their defaults, in the order of ``StateRequest/settings(of:flows:app:)``.
  public let settings: [Setting]
  /// The files of the flow definitions in force, in the order of the catalog.
  public let definitions: [[UInt8]]
  /// The names of the counted reports, in output order.
  public let reports: [String]

  /// Creates the request of a fold.
  ///
  /// - Parameters:
  ///   - flows: The values of `--flow`.
  ///   - app: The app of an ad-hoc flow, or `nil` if it is not given.
  ///   - catalog: The definitions in force, without ad-hoc flows.
  public init(_ query: ReportQuery, flows: [String], app: String?, catalog: FlowCatalog, selection: ReportSelection) {
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
  public var selection: ReportSelection { ReportSelection(names: reports) }

  /// The values of `--flow`.
  public var flows: [String] { values(of: .flow) }

  /// The app of an ad-hoc flow, or `nil` if it was not given.
  public var app: String? { values(of: .app).first }

  /// Returns the definitions in force.
  ///
  /// - Throws: ``FunnelError`` (`configuration`) if a definition can't be read, for example because a newer
  ///   version of the tool wrote it.
  public func catalog() throws(FunnelError) -> FlowCatalog {
    let files = try definitions.map { (bytes) throws(FunnelError) in
      try FlowFile(json: bytes, name: "a definition of the state")
    }
    return try FlowCatalog(layers: [files])
  }

  /// Whether only groups with closed windows were counted.
  public var isMature: Bool { !values(of: .mature).isEmpty }

  /// Returns the values of an option, in their order.
  func values(of option: StateOption) -> [String] { settings.filter { $0.option == option.rawValue }.map(\.value) }
}

/// The query options in a state, by their command line names.
enum StateOption: String, CaseIterable {
  case window = "--window"
  case order = "--order"
  case anchor = "--anchor"
  case countBy = "--count-by"
  case timeZone = "--tz"
  case mature = "--mature"
  case by = "--by"
  case condition = "--where"
  case attribution = "--attribution"
  case exclusion = "--exclude"
  case every = "--every"
  case after = "--after"
  case depth = "--depth"
  case steps = "--steps"
  case flow = "--flow"
  case app = "--app"
}
