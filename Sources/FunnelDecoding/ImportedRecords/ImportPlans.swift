package import FunnelImport
package import FunnelModel

/// The translation plans of all import formats. It is immutable, and all threads share it.
package final class ImportPlans: Sendable {
  /// The format of all inputs, or `nil` if it is detected in the first records of each input.
  package let format: ImportFormat?
  /// The mappings in effect.
  package let mappings: [ImportMapping]
  private let plans: [ImportFormat: ImportPlan]
  private let sourceZone: TimeZoneRules?

  /// Plans for native events and all formats, without mappings.
  package static let automatic = ImportPlans()

  /// Compiles the plans.
  ///
  /// - Parameters:
  ///   - format: The format of all inputs, or `nil` to detect it in the first records of each.
  ///   - mappings: The mappings. A mapping without a format applies to all formats that have no mapping of their own.
  ///   - subject: The path of the subject, instead of that of the mapping or the format, or `nil` to use the latter.
  ///   - sourceZone: The time zone of times without an offset, or `nil` if there is none.
  package init(
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

  /// Returns the same plans with another path of the subject.
  package func trying(subject: ImportedPath) -> ImportPlans {
    ImportPlans(format: format, mappings: mappings, subject: subject, sourceZone: sourceZone)
  }

  /// Whether there is a mapping for CSV.
  package var mapsColumns: Bool { mappingOfColumns != nil }

  /// The mapping for CSV, or `nil` if there is none.
  package var mappingOfColumns: ImportMapping? {
    mappings.first { $0.format == .csv } ?? mappings.first { $0.format == nil }
  }

  /// The rule that determines which inputs are CSV.
  package var csvDetection: CSVDetection {
    switch format {
    case .csv: .always
    case nil: mappings.contains { $0.format == .csv } ? .unlessJSON : .byName
    case .native, .segment, .rudderstack, .amplitude, .mixpanel, .posthog, .ga4, .cloudevents: .never
    }
  }

  /// Returns the plan of a format, which must not be `.native`.
  package func plan(for format: ImportFormat) -> ImportPlan {
    guard let plan = plans[format] else { preconditionFailure("native events have no plan") }
    return plan
  }
}
