public import FunnelModel

/// All that the counts of a state depend on besides the events and the period: the options of the query, the flow definitions, and the
/// reports that were counted. States are merged only if they are equal in it.
public struct StateRequest: Hashable, Sendable {
  /// One option of the query, as a user would write it.
  public struct Setting: Hashable, Sendable {
    public let option: String
    public let value: String
  }

  /// The options that are not left out, in the order of ``StateRequest/settings(of:flows:app:)``.
  public let settings: [Setting]
  /// The files of the flow definitions in force, in the order of the catalog.
  public let definitions: [[UInt8]]
  /// The names of the reports that were counted, in the order of the registry.
  public let reports: [String]

  /// Creates the question of a fold.
  ///
  /// - Parameters:
  ///   - flows: The texts of `--flow`.
  ///   - app: The app of an ad-hoc flow, if it is given.
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

  /// The selection of all reports that were counted.
  public var selection: ReportSelection { ReportSelection(names: reports) }

  /// The texts of `--flow`.
  public var flows: [String] { values(of: .flow) }

  /// The app of an ad-hoc flow, if it was given.
  public var app: String? { values(of: .app).first }

  /// Returns the definitions in force.
  ///
  /// - Throws: a configuration error if a definition can't be read, which a newer version of the tool may have written.
  public func catalog() throws(FunnelError) -> FlowCatalog {
    let files = try definitions.map { (bytes) throws(FunnelError) in
      try FlowFile(json: bytes, name: "a definition of the state")
    }
    return try FlowCatalog(layers: [files])
  }

  /// Whether only groups with closed windows were counted.
  public var isMature: Bool { !values(of: .mature).isEmpty }

  func values(of option: StateOption) -> [String] { settings.filter { $0.option == option.rawValue }.map(\.value) }
}

/// The options that a state keeps, by the names they have on the command line.
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
