import FunnelImport
import FunnelModel

/// A column that names the flow of each record, whose values share almost no names of events.
struct SeparateFlows: Hashable, Sendable {
  /// The column with the flows.
  let column: String
  /// The flows with their numbers of names, sorted.
  private let flows: [Flow]

  /// A flow, and the number of its names.
  private struct Flow: Hashable {
    var name: String
    var nameCount: Int

    var text: String { "\(name) (\(Quantity.counted(nameCount, "name")))" }
  }

  /// Names of columns that surely have flows. A person may go through several.
  private static let sureWords: Set<String> = [
    "flow", "flowname", "flowid", "workflow", "workflowname", "workflowid", "workflowtype", "processname", "processtype",
    "casetype", "journey", "funnel",
  ]
  /// Names of columns that may have flows, or categories of events.
  private static let words: Set<String> = ["process", "processid", "pipeline", "scenario", "procedure", "experiment"]
  /// The numbers of flows that a column may have. More are the cases themselves.
  private static let flowsRange = 2...20
  /// The number of names that a flow has at least. A category of events may have one.
  private static let namesMin = 2
  /// The share of the names that may occur in several flows.
  private static let sharedShareMax = 0.2
  /// The share of the subjects that are in one flow. Those of a category of events have several of its values.
  private static let singleShareMin = 0.8
  /// The number of flows that a message shows.
  private static let shownMax = 5

  /// Finds the column, or returns `nil` if the records are of one flow.
  ///
  /// - Parameters:
  ///   - columns: The columns that become properties.
  ///   - name: The column of the event names.
  ///   - subject: The column of the people or cases.
  init?(
    _ columns: [(name: String, values: ColumnCandidates.Values)], name: String, of subject: String,
    _ records: [[String: String]]
  ) {
    for column in columns {
      let folded = ColumnCandidates.folded(Self.lastKey(column.name))
      guard Self.sureWords.contains(folded) || Self.words.contains(folded), Self.flowsRange.contains(column.values.distinct),
        column.values.count == records.count,
        column.values.personal == nil, !column.values.areTimes, !column.values.hasProse
      else { continue }
      if let flows = Self.flows(in: column.name, isSure: Self.sureWords.contains(folded), name: name, of: subject, records) {
        self.column = column.name
        self.flows = flows
        return
      }
    }
    return nil
  }

  private static func lastKey(_ column: String) -> String { column.split(separator: ".").last.map(String.init) ?? column }

  /// Returns the flows, or `nil` if their names overlap, or if subjects are in several flows of a column that is not surely one.
  private static func flows(
    in column: String, isSure: Bool, name: String, of subject: String, _ records: [[String: String]]
  ) -> [Flow]? {
    var names: [String: Set<String>] = [:]
    var flowsOfSubjects: [String: Set<String>] = [:]
    for record in records {
      guard let flow = record[column], let name = record[name] else { continue }
      names[flow, default: []].insert(name)
      if let who = record[subject] { flowsOfSubjects[who, default: []].insert(flow) }
    }
    let singleCount = flowsOfSubjects.values.count { $0.count == 1 }
    let flowCounts = names.values.joined().reduce(into: [:]) { $0[$1, default: 0] += 1 }
    let sharedCount = flowCounts.values.count { $0 > 1 }
    guard flowsRange.contains(names.count), names.values.allSatisfy({ $0.count >= namesMin }),
      Double(sharedCount) <= sharedShareMax * Double(flowCounts.count),
      isSure || Double(singleCount) >= singleShareMin * Double(flowsOfSubjects.count)
    else { return nil }
    return names.map { Flow(name: $0.key, nameCount: $0.value.count) }.sorted { $0.name < $1.name }
  }

  /// The sentence on the flows.
  var sentence: String {
    let shown = flows.prefix(Self.shownMax).map(\.text).joined(separator: ", ")
    let more = flows.count > Self.shownMax ? " and \(flows.count - Self.shownMax) more" : ""
    return
      "flow: the \(Quantity.count(flows.count)) values of \(column) share almost no names: \(shown)\(more); each becomes a flow of its own, which --flow of 'funnel schema infer' names"
  }
}
