public import FunnelModel
import FunnelProjections

extension Report {
  /// A side of a comparison by the values of a key: the groups whose value is a given one.
  public struct ValueSide: Sendable {
    let label: String
    let values: Set<PropertyValue>

    /// Creates the side of values that are written alike, such as the number 1 and the text `1`.
    public init(_ values: [PropertyValue]) {
      precondition(!values.isEmpty, "a side has a value")
      label = values[0] == .null ? "(none)" : values[0].segmentLabel
      self.values = Set(values)
    }
  }

  /// Returns the comparison of two values of the query's dimension, in each flow version.
  ///
  /// The report must hold the rows of `ReportSelection.comparison`, by one dimension.
  public func comparison(ofValues a: ValueSide, _ b: ValueSide, ratio: SideRatio, flows: [FlowDefinition]) -> Report {
    comparison(
      flows.compactMap { flow in
        func side(_ side: ValueSide) -> ComparisonSide {
          self.side(side.label, flow) { $0.segment.first.map(side.values.contains) ?? false }
        }
        return ComparisonRow(
          key: RowKey(flow: flow), title: flow.title, dimension: query.by.first?.description ?? "", a: side(a), b: side(b),
          ratio: ratio)
      })
  }

  /// Returns the comparison of two versions of each flow that has both.
  ///
  /// The report must hold the rows of `ReportSelection.comparison`, by no dimension.
  public func comparison(ofVersions a: Int, _ b: Int, flows: [FlowDefinition]) -> Report {
    comparison(
      flows.filter { $0.version == b }.compactMap { newer in
        guard let older = flows.first(where: { $0.app == newer.app && $0.flow == newer.flow && $0.version == a }) else {
          return nil
        }
        return ComparisonRow(
          key: RowKey(app: newer.app, flow: newer.flow, version: nil, segment: []), title: newer.title, dimension: "version",
          a: side("v\(a)", older), b: side("v\(b)", newer), ratio: nil)
      })
  }

  /// Returns the comparison of this report with that of another period, the baseline, in each flow version.
  ///
  /// Both reports must hold the rows of `ReportSelection.comparison`, by no dimension.
  public func comparison(
    versus baseline: Report, labels: (a: String, b: String), flows: [FlowDefinition]
  ) -> Report {
    comparison(
      flows.compactMap { flow in
        ComparisonRow(
          key: RowKey(flow: flow), title: flow.title, dimension: "period", a: baseline.side(labels.a, flow),
          b: side(labels.b, flow), ratio: nil)
      })
  }

  private func comparison(_ rows: [ComparisonRow]) -> Report {
    var report = self
    report.answers = [Answer<CompareReport>(rows: rows)]
    return report
  }

  /// Returns the side of the rows of a flow version that satisfy a condition.
  func side(
    _ label: String, _ flow: FlowDefinition, where isIncluded: (RowKey) -> Bool = { _ in true }
  ) -> ComparisonSide {
    func isOfSide(_ row: some ReportRow) -> Bool {
      row.key.app == flow.app && row.key.flow == flow.flow && row.key.version == flow.version && isIncluded(row.key)
    }
    return ComparisonSide(
      label: label, of: flow, funnel: (self[FunnelReport.self] ?? []).filter(isOfSide),
      grants: (self[GrantsReport.self] ?? []).filter(isOfSide))
  }
}

extension RowKey {
  fileprivate init(flow: FlowDefinition) {
    self.init(app: flow.app, flow: flow.flow, version: flow.version, segment: [])
  }
}
