import FunnelSequences
import FunnelIndex
import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelTestSupport

/// A notation for flows, queries and journeys, each in a line of text.
///
/// Steps: `a` is a screen, `b?` an optional one, `photos!` a permission step, `c[x,y]` a screen that asks for two permissions, of
/// which entering `c[x*,y]` is a pre-prompt of x.
///
/// Events, each after its milliseconds: `0 a` enters a step, `5 a+b` enters two, `7 photos:prompt` and `8 photos:denied` are
/// about a permission, `9 b:completed` completes a step, `9 -back` counts as going back, `9 -` means nothing, `-ended` is the
/// flow's first outcome, and `0 a@A` has the `ctx.variant` A.
struct Sketch {
  var flow: FlowDefinition
  var query: ReportQuery
  private var segments = SegmentTable(dimensions: [.context("variant")])
  private var sequences: [[TimedEvent]] = []

  init(_ steps: String, window: Int64 = 100, now: Int64 = 1000, _ change: (inout ReportQuery) -> Void = { _ in }) {
    flow = FlowDefinition(
      app: "app", flow: "flow", version: 1, title: "Flow", window: TimeSpan(milliseconds: window), countBy: .subject,
      steps: steps.split(separator: " ").map(Sketch.step))
    query = ReportQuery(now: Timestamp(milliseconds: now))
    change(&query)
  }

  /// Returns the sketch with further groups, one for each line.
  func groups(_ lines: String...) -> Sketch {
    var copy = self
    for line in lines {
      let events = line.split(separator: ",").map { copy.event($0.split(separator: " ").map(String.init)) }
      copy.sequences.append(events.filter { $0.milliseconds <= query.now.milliseconds })
    }
    return copy
  }

  var stored: [StoredSequence] {
    let completions = flow.steps.map { step in
      EventClassTable.Entry(flow: 0, kind: .other, detail: EventDetail(name: "step_completed", step: step.id, flow: flow))
    }
    return sequences.map { StoredSequence(events: $0, segments: segments, entries: completions) }
  }

  func rows<P: Projector>(_ type: P.Type) -> [P.Row] {
    stored.rows(type, flow: flow, query: query)
  }

  /// The only row of the funnel.
  var funnel: FunnelRow { rows(FunnelProjector.self)[0] }

  /// The only row of the drop-off.
  var dropoff: DropoffRow { rows(DropoffProjector.self)[0] }

  /// The row of a permission, or nil if there is none.
  func grant(_ permission: String) -> GrantRow? { rows(GrantsProjector.self).first { $0.permission == permission } }
}

extension Sketch {
  private static func step(_ text: Substring) -> FlowStep {
    let id = String(text.prefix { $0.isLetter || $0.isNumber })
    let asks =
      text.contains("[") ? text.drop { $0 != "[" }.dropFirst().prefix { $0 != "]" }.split(separator: ",").map(String.init) : []
    func name(_ ask: String) -> String { ask.hasSuffix("*") ? String(ask.dropLast()) : ask }
    var step = FlowStep(
      id: id, label: id.uppercased(), kind: text.contains("!") ? .permission(id) : .screen, isOptional: text.contains("?"),
      asks: asks.map(name))
    step.permissionsPrimedOnEntry = Set(asks.filter { $0.hasSuffix("*") }.map(name))
    return step
  }

  private mutating func event(_ words: [String]) -> TimedEvent {
    let parts = words[1].split(separator: "@").map(String.init)
    let row = segments.append([parts.count > 1 ? .string(parts[1]) : .null])
    let milliseconds = Int64(words[0]) ?? 0
    if let step = flow.steps.firstIndex(where: { "\($0.id):completed" == parts[0] }) {
      return TimedEvent(milliseconds: milliseconds, kind: .other, row: row, classID: UInt32(step))
    }
    return TimedEvent(milliseconds: milliseconds, kind: kind(parts[0]), row: row)
  }

  private func kind(_ text: String) -> EventClass {
    if text.hasPrefix("-") {
      let exits: [String: ExitKind] = ["-skipped": .skipped, "-denied": .denied, "-failed": .failed, "-back": .back]
      if text == "-ended" { return EventClass(stepMask: 0, exit: .ended, outcome: 0) }
      return EventClass(stepMask: 0, exit: exits[text] ?? .left)
    }
    let parts = text.split(separator: ":").map(String.init)
    guard parts.count == 2 else {
      let entered = text.split(separator: "+").map(String.init)
      return EventClass(stepMask: mask { entered.contains($0.id) })
    }
    let number = flow.permissions.firstIndex { $0.name == parts[0] }
    let actions: [String: (PermissionAction, ExitKind)] = [
      "prompt": (.prePrompt, .left), "granted": (.granted, .left), "limited": (.limited, .left),
      "provisional": (.provisional, .left), "denied": (.denied, .denied),
      "skipped": (.skipped, .skipped), "tapped": (.enableTapped, .left),
    ]
    let (action, exit) = actions[parts[1]] ?? (.other, .left)
    let mask = action == .prePrompt ? mask { $0.kind == .permission(parts[0]) } : 0
    return EventClass(stepMask: mask, permission: number, action: action, exit: exit)
  }

  private func mask(of isEntered: (FlowStep) -> Bool) -> UInt64 {
    flow.steps.indices.reduce(0) { isEntered(flow.steps[$1]) ? $0 | 1 << UInt64($1) : $0 }
  }
}
