import FunnelDecoding
import FunnelIngest
import FunnelModel

/// The events from which a flow is inferred: those of one app, and of one flow or of none.
struct InferenceScope {
  let app: String
  let flow: String
  /// The indices of the event classes in ``OccurrenceStatistics/eventClasses``.
  let eventClasses: Set<Int>
  /// Sentences about the choice of the flow.
  private(set) var remarks: [String] = []

  /// Determines the app and the flow from the options, or from the events if the options name none.
  ///
  /// - Throws: `noInput` if there are no events of the app and the flow; `usage` if several apps have events and the options
  ///   name none.
  init(_ statistics: OccurrenceStatistics, options: InferredFlow.Options) throws(FunnelError) {
    let app = try Self.app(of: statistics, asked: options.app)
    let ofApp = statistics.eventClasses.indices.filter { statistics.eventClasses[$0].name.app == app }
    let counts = Self.eventsByFlow(statistics, ofApp)
    let named = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    let flow = options.flow ?? named.first ?? "onboarding"
    self.app = app
    self.flow = flow
    eventClasses = Set(
      ofApp.filter { statistics.eventClasses[$0].name.flow == nil || statistics.eventClasses[$0].name.flow == flow })
    if options.flow == nil, named.isEmpty {
      remarks.append("no event names its flow; the draft calls it \(flow), give another name with --flow")
    }
    if options.flow == nil, named.count > 1 {
      remarks.append(
        "events name \(named.count) flows; this draft is of \(flow), choose another with --flow: \(named.dropFirst().joined(separator: ", "))"
      )
    }
    guard !eventClasses.isEmpty else {
      throw FunnelError(.noInput, "no event of the flow, \(app)/\(flow), the flows are \(named.joined(separator: ", "))")
    }
  }

  /// Returns the requested app, or the only app if none is requested.
  private static func app(of statistics: OccurrenceStatistics, asked: String?) throws(FunnelError) -> String {
    let apps = Set(statistics.eventClasses.map(\.name.app)).sorted()
    if let asked {
      guard apps.contains(asked) else {
        let there = apps.isEmpty ? "there are no events at all" : "the apps are \(apps.joined(separator: ", "))"
        throw FunnelError(.noInput, "no event of the app, \(asked), \(there)")
      }
      return asked
    }
    guard let first = apps.first else {
      throw FunnelError(.noInput, "no event in the input, see why with 'funnel ingest INPUT --dry-run'")
    }
    guard apps.count == 1 else {
      throw FunnelError(.usage, "events of several apps, \(apps.joined(separator: ", ")), name one with --app")
    }
    return first
  }

  /// Returns the number of events of each flow.
  private static func eventsByFlow(_ statistics: OccurrenceStatistics, _ eventClasses: [Int]) -> [String: Int] {
    var counts: [String: Int] = [:]
    for eventClass in eventClasses {
      if let flow = statistics.eventClasses[eventClass].name.flow {
        counts[flow, default: 0] += statistics.eventCounts[eventClass]
      }
    }
    return counts
  }
}
