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

  /// Plans for what clients of the vendors send, which differs from their exports.
  package static let sent = ImportPlans(of: { ImportPlan(sent: $0) }, formats: ImportPlan.sentFormats)

  private init(of plan: (ImportFormat) -> ImportPlan, formats: [ImportFormat]) {
    format = nil
    mappings = []
    sourceZone = nil
    plans = Dictionary(uniqueKeysWithValues: formats.map { ($0, plan($0)) })
  }

  /// Returns the same plans with another path of the subject.
  package func trying(subject: ImportedPath) -> ImportPlans {
    ImportPlans(format: format, mappings: mappings, subject: subject, sourceZone: sourceZone)
  }

  /// Returns the same plans for inputs whose header or encoding is given.
  ///
  /// - Parameters:
  ///   - header: The names of the columns of tables without a header, or `nil`.
  ///   - encoding: The encoding of the inputs, or `nil` to detect it.
  package func reading(header: [String]?, encoding: TextEncoding?) -> ImportPlans {
    guard header != nil || encoding != nil else { return self }
    var mapping = mappingOfColumns ?? ImportMapping(source: header == nil ? "--encoding" : "--header")
    if let header { (mapping.format, mapping.header) = (.csv, header) }
    mapping.encoding = encoding ?? mapping.encoding
    return ImportPlans(
      format: header == nil ? format : .csv, mappings: mappings.filter { $0.format != mapping.format } + [mapping],
      sourceZone: sourceZone)
  }

  /// The encoding of all inputs, or `nil` to detect it.
  package var encoding: TextEncoding? { mappings.lazy.compactMap(\.encoding).first }

  /// The way in which objects around arrays of records are read.
  package var envelopes: RecordEnvelopeOptions {
    RecordEnvelopeOptions(
      path: mappings.lazy.compactMap(\.records).first, keepsMembers: mappings.contains { $0.usesEnvelope })
  }

  /// Whether there is a mapping for CSV.
  package var mapsColumns: Bool { mappingOfColumns != nil }

  /// Whether there is a mapping for JSON of no known format: one that names the format, or one of every format that names
  /// subject, time and name.
  package var mapsOwnJSON: Bool {
    mappings.contains { $0.format == .json || $0.format == nil && $0.isComplete }
  }

  /// The mapping for CSV, or `nil` if there is none.
  package var mappingOfColumns: ImportMapping? {
    mappings.first { $0.format == .csv } ?? mappings.first { $0.format == nil }
  }

  /// The rule that determines which inputs are CSV.
  package var csvDetection: CSVDetection {
    switch format {
    case .csv: .always
    case nil: mappings.contains { $0.format == .csv } ? .unlessJSON : .byName
    case .native, .segment, .rudderstack, .amplitude, .mixpanel, .posthog, .ga4, .snowplow, .cloudevents, .json: .never
    }
  }

  /// Returns the plan of a format, which must not be `.native`.
  package func plan(for format: ImportFormat) -> ImportPlan {
    guard let plan = plans[format] else { preconditionFailure("native events have no plan") }
    return plan
  }
}

/// The way in which objects around arrays of records, such as pages of an API, are read.
package struct RecordEnvelopeOptions: Hashable, Sendable {
  /// The path of the array, or `nil` if any array of objects under a usual key holds the records.
  package var path: ImportedPath?
  /// Whether the scalars of the envelope are added to each record, under the key ``ImportMapping/envelopeKey``.
  package var keepsMembers = false

  /// Envelopes are recognized, and their scalars are left out.
  package static let automatic = RecordEnvelopeOptions()

  package init(path: ImportedPath? = nil, keepsMembers: Bool = false) {
    self.path = path
    self.keepsMembers = keepsMembers
  }
}
