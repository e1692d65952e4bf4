import FunnelDecoding
import FunnelModel
import Testing

@testable import FunnelRendering
@testable import FunnelReports

/// Counts that no log has are refused where they are read, so that adding them up never overflows.
@Suite struct ExtremeCountTests {
  private static let catalog = (try? FlowCatalog(layers: []))!

  /// Returns a state without flows, of folds that read these lines.
  private func state(_ input: InputCounts) -> ReportState {
    let query = ReportQuery(now: Timestamp(milliseconds: 0))
    let request = StateRequest(query, flows: [], app: nil, catalog: Self.catalog, selection: .standard)
    let counts = ReportCounting.countings(of: request.selection, for: query).map { _ in [[UInt8]]() }
    let fold = FoldIdentity(period: StatePeriod(of: query), events: (0..<16).map { _ in UInt8.random(in: 0...255) })
    return ReportState(request: request, folds: [fold], input: input, counts: counts)
  }

  private func merger(_ first: ReportState) throws -> StateMerger {
    try StateMerger(first, name: "a", query: ReportQuery(now: Timestamp(milliseconds: 0)), catalog: Self.catalog, flows: [])
  }

  private static let changes: [@Sendable (inout InputCounts, Int) -> Void] = [
    { $0.lines = $1 }, { $0.events = $1 }, { $0.rejected = [.invalidJSON: $1] }, { $0.bytes = $1 },
    {
      $0.contents = LogContents(
        countByName: [EventTypeName(app: "a", name: "b"): $1], unnamedEventCount: 0, apps: [], span: nil)
    },
    { $0.contents = LogContents(countByName: [:], unnamedEventCount: $1, apps: [], span: nil) },
  ]

  @Test(arguments: 0..<6) func `states whose lines add up to more than any log has are refused`(change: Int) throws {
    var input = InputCounts()
    let largest = change == 3 ? Limits.foldedBytesMax : Limits.countMax
    Self.changes[change](&input, largest)
    let valid = try ReportState(bytes: state(input).bytes, name: "a")
    var merger = try merger(valid)
    var one = InputCounts()
    Self.changes[change](&one, 1)
    #expect {
      try merger.add(state(one), name: "b")
    } throws: { error in
      let error = error as? FunnelError
      return error?.code == .unusableInput
        && error?.message.hasPrefix("b, together the states have more lines") == true
    }
    Self.changes[change](&input, largest + 1)
    #expect {
      try ReportState(bytes: state(input).bytes, name: "a")
    } throws: { ($0 as? FunnelError)?.code == .unusableInput }
  }

  @Test func `a time that no calendar has is refused`() throws {
    var input = InputCounts()
    input.contents = LogContents(
      countByName: [:], unnamedEventCount: 1, apps: [],
      span: Timestamp(milliseconds: .min)...Timestamp(milliseconds: .max))
    #expect {
      try ReportState(bytes: state(input).bytes, name: "a")
    } throws: { ($0 as? FunnelError)?.code == .unusableInput }
  }

  @Test(arguments: ["9223372036854775807", "-1", "1099511627777"])
  func `a count of a snapshot that can't be one is damage`(count: String) throws {
    for key in ["entered", "completed", "in_progress", "dropped"] {
      let line =
        #"{"v":1,"day":"2026-10-20","report":{"funnel":[{"app":"a","flow":"f","version":1,"\#(key)":\#(count)}]}}"#
      var snapshots = TrendSnapshots()
      #expect {
        try snapshots.add(Array(line.utf8))
      } throws: { error in
        let error = error as? FunnelError
        return error?.code == .inputOutput && error?.message.contains("2026-10-20") == true
          && error?.message.contains(key) == true
      }
    }
    let line =
      #"{"v":1,"day":"2026-10-20","report":{"grants":[{"app":"a","flow":"f","version":1,"permission":"p","prompted":\#(count)}]}}"#
    var snapshots = TrendSnapshots()
    #expect(throws: FunnelError.self) { try snapshots.add(Array(line.utf8)) }
  }
}
