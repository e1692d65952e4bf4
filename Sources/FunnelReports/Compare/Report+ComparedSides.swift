package import FunnelModel
import FunnelRendering

extension Report {
  /// A side of a comparison by a key: the groups with one of the side's values.
  package struct ValueSide: Sendable {
    let label: String
    let values: Set<PropertyValue>

    /// Creates a side from values with the same text, such as the number 1 and the text `1`.
    package init(_ values: [PropertyValue]) {
      precondition(!values.isEmpty, "a side has a value")
      label = values[0].segmentLabel
      self.values = Set(values)
    }
  }

  /// The reports of two periods.
  package struct PeriodPair: Sendable {
    /// A period with its report.
    package struct Side: Sendable {
      let label: String
      let title: String
      let report: Report
      /// The same report with the groups in progress, or `nil` if `report` includes them.
      let all: Report?
      /// The first day of the period, or `nil` if entries are not counted by day.
      let firstDay: CivilDate?

      package init(label: String, title: String, _ report: Report, all: Report? = nil, firstDay: CivilDate? = nil) {
        self.label = label
        self.title = title
        self.report = report
        self.all = all
        self.firstDay = firstDay
      }
    }

    let baseline: Side
    let later: Side
    /// The comparison of the periods at the same age, or `nil` if whole windows are compared.
    let sameAge: FlowComparison.Context.SameAge?
    /// A mismatch of the periods' days of the week, or `nil` if there is none.
    let differentWeekdays: FlowComparison.Context.Weekdays?

    package init(
      baseline: Side, later: Side, sameAge: FlowComparison.Context.SameAge? = nil,
      differentWeekdays: FlowComparison.Context.Weekdays? = nil
    ) {
      self.baseline = baseline
      self.later = later
      self.sameAge = sameAge
      self.differentWeekdays = differentWeekdays
    }
  }
}
