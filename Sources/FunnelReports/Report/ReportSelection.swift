/// The named reports that are computed together, in one pass over the events.
public struct ReportSelection: Sendable {
  /// All named reports. The rows of a report are written in this order.
  static let registered: [any NamedReport.Type] = [FunnelReport.self, GrantsReport.self, DropoffReport.self]

  let reports: [any NamedReport.Type]

  /// The reports that are computed if none is named.
  public static let all = ReportSelection(reports: registered)

  /// Selects one report.
  public init(_ report: any NamedReport.Type) {
    self.init(reports: [report])
  }

  /// Selects the report with a name, or returns nil if there is none.
  public init?(name: String) {
    guard let report = Self.registered.first(where: { $0.name == name }) else { return nil }
    self.init(report)
  }

  private init(reports: [any NamedReport.Type]) {
    self.reports = reports
  }

  /// The names of the selected reports.
  public var names: [String] { reports.map { $0.name } }
}
