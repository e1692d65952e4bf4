import FunnelImport
public import FunnelModel

/// How the records of an input are read: the format, if it is given, and a plan for each format. Shared by all threads.
public final class ImportPlans: Sendable {
  /// The format of all inputs, or nil if each input's first records decide.
  public let format: ImportFormat?
  /// The mappings in effect.
  public let mappings: [ImportMapping]
  private let plans: [ImportFormat: ImportPlan]
  private let sourceZone: TimeZoneRules?

  /// Reads native events and all formats that need no mapping.
  public static let automatic = ImportPlans()

  /// Compiles the plans.
  ///
  /// - Parameters:
  ///   - format: The format of all inputs, or nil to tell it from the first records of each.
  ///   - mappings: The mappings; one without a format is for all formats that have none of their own.
  ///   - subject: The path of the subject in place of those of mappings and formats, to try another one.
  ///   - sourceZone: The zone of times that name none.
  public init(
    format: ImportFormat? = nil, mappings: [ImportMapping] = [], subject: ImportedPath? = nil, sourceZone: TimeZoneRules? = nil
  ) {
    self.format = format
    self.mappings = mappings
    self.sourceZone = sourceZone
    let general = mappings.first { $0.format == nil }
    var plans: [ImportFormat: ImportPlan] = [:]
    for format in ImportFormat.allCases where format != .native {
      let mapping = mappings.first { $0.format == format } ?? general
      plans[format] = ImportPlan(format, mapping: mapping, subject: subject, sourceZone: sourceZone)
    }
    self.plans = plans
  }

  /// Returns the same plans with another subject.
  public func trying(subject: ImportedPath) -> ImportPlans {
    ImportPlans(format: format, mappings: mappings, subject: subject, sourceZone: sourceZone)
  }

  /// Whether a mapping says what the columns of CSV are.
  var mapsColumns: Bool { mappingOfColumns != nil }

  /// The mapping for CSV.
  var mappingOfColumns: ImportMapping? {
    mappings.first { $0.format == .csv } ?? mappings.first { $0.format == nil }
  }

  /// Which inputs are read as CSV.
  var csvDetection: CSVDetection {
    switch format {
    case .csv: .always
    case nil: mappings.contains { $0.format == .csv } ? .unlessJSON : .byName
    case .native, .segment, .rudderstack, .amplitude, .mixpanel, .posthog, .ga4, .cloudevents: .never
    }
  }

  /// Returns the plan of a foreign format.
  func plan(for format: ImportFormat) -> ImportPlan {
    guard let plan = plans[format] else { preconditionFailure("native events have no plan") }
    return plan
  }
}
