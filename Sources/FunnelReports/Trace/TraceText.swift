import FunnelDecoding
import FunnelModel
import FunnelRendering

/// Renders a trace as text.
package enum TraceText {
  /// The output format of a trace.
  package enum Format: String, Hashable, Sendable, CaseIterable {
    /// A human-readable timeline.
    case table
    /// One JSON object per line.
    case json
  }

  /// Returns a trace in a format.
  package static func text(_ trace: SubjectTrace, _ format: Format) -> String {
    switch format {
    case .table: timeline(trace)
    case .json: trace.lines.reduce(into: "") { $0 += json($1, hasSubject: trace.person != nil) + "\n" }
    }
  }
}

extension TraceText {
  private static func json(_ line: SubjectTrace.Line, hasSubject: Bool) -> String {
    let event = line.event
    var members: [(String, JSONValue)] = [
      ("ts", .text(event.timestamp.description)), ("name", .text(event.name)),
      ("step", event.step.map(JSONValue.text) ?? .null),
      ("app", .text(event.app)), ("flow", event.flow.map(JSONValue.text) ?? .null),
      ("flow_version", event.flowVersion.map(JSONValue.count) ?? .null),
      ("attempt", event.attempt.map(JSONValue.text) ?? .null),
      ("id", .text(event.id)), ("props", .object(event.props.map { ($0.key, .value($0.value)) })),
      ("unclaimed", .flag(!event.isDeclared)),
    ]
    // A trace of one subject does not repeat it, and one without users keeps its form.
    if hasSubject { members.append(("subject", .text(event.subject))) }
    // Only the events of a shared device have persons.
    if let person = line.person { members.append(("person", .text(person))) }
    if let user = event.user { members.append(("user", .text(user))) }
    members.append(("effects", .array(line.effects.map { .object(tree(of: $0)) })))
    return JSONWriter.text { $0.append(.object(members)) }
  }

  private static func tree(of effect: TraceEffect) -> [(String, JSONValue)] {
    [
      ("app", .text(effect.app)), ("flow", .text(effect.flow)), ("version", .count(effect.version)),
      ("enters", .array(effect.enters.map(JSONValue.text))), ("anchor", .flag(effect.isAnchor)),
      (
        "match",
        effect.match.map { match in
          .object([("step", .text(match.step)), ("level", match.matchedStepCount.map(JSONValue.count) ?? .null)])
        } ?? .null
      ),
      ("permission", effect.permission.map(JSONValue.text) ?? .null),
      ("decision", effect.decision.map(JSONValue.text) ?? .null),
      ("grant", effect.grant.map(JSONValue.text) ?? .null), ("outcome", effect.outcome.map(JSONValue.text) ?? .null),
      ("excluded", .flag(effect.isExclusion)), ("broken", .array(effect.broken.map(JSONValue.text))),
      ("recovered_via_settings", .flag(effect.isRecoveredViaSettings)),
    ]
  }
}

extension TraceText {
  /// Returns a line for each event: its time, the time since the previous event, its name, its subject or its person
  /// where that is not the same in all lines, and its effects.
  private static func timeline(_ trace: SubjectTrace) -> String {
    var previous: SubjectEvent?
    let rows = trace.lines.map { line -> [TerminalText] in
      let event = line.event
      defer { previous = event }
      let gap = previous.map { HumanNumbers.duration(milliseconds: event.timestamp.milliseconds - $0.timestamp.milliseconds) }
      let name = event.step.map { "\(event.name):\($0)" } ?? event.name
      return [
        "\(event.timestamp.secondText(in: .utc))", gap.map { "+\($0)" } ?? "", "\(name)", id(of: line, in: trace),
        "\(effects(of: line))",
      ]
    }
    // A column without text takes no room.
    let columns = (0..<4).filter { column in column < 3 || rows.contains { StyledText($0[column]).width > 0 } }
    let widths = (0..<4).map { column in rows.map { StyledText($0[column]).width }.max() ?? 0 }
    return rows.reduce(into: "") { text, row in
      let cells = columns.map { column -> TerminalText in
        let blanks = TerminalText(" ").repeated(widths[column] - StyledText(row[column]).width)
        return column == 1 ? blanks + row[column] : row[column] + blanks
      }
      text += (cells.reduce("") { $0 + $1 + "  " } + row[4]).withoutTrailingBlanks.text + "\n"
    }
  }

  /// Returns the person of an event of a shared device, or the subject of an event of a person if it is another text than the
  /// person, or nothing.
  private static func id(of line: SubjectTrace.Line, in trace: SubjectTrace) -> TerminalText {
    if let owner = line.person { return "\(owner)" }
    guard let person = trace.person, !person.utf8.elementsEqual(line.event.subject.utf8) else { return "" }
    return "\(line.event.subject)"
  }

  /// Returns the effects of an event in words, or a remark on an event that has none.
  static func effects(of line: SubjectTrace.Line) -> String {
    line.effects.isEmpty ? remark(on: line.event) : line.effects.map(sentence).joined(separator: "; ")
  }

  /// Returns the remark on an event without effects.
  private static func remark(on event: SubjectEvent) -> String {
    if event.name == UserLinkEvent.name { return event.user.map { "links the user \($0)" } ?? "" }
    return event.isDeclared ? "" : "unclaimed: no flow declares it"
  }

  private static func sentence(_ effect: TraceEffect) -> String {
    var parts: [String] = []
    if effect.isAnchor { parts.append("anchor") }
    if let match = effect.match {
      parts.append(
        match.matchedStepCount.map { "matches \(match.step), \($0) of \(match.of)" } ?? "reaches \(match.step), optional")
    } else if !effect.enters.isEmpty {
      parts.append("enters \(effect.enters.joined(separator: ", "))")
    }
    if let permission = effect.permission, let grant = effect.grant {
      let way = effect.isRecoveredViaSettings ? ", recovered through Settings" : ""
      parts.append("\(permission) is \(grant.replacing("_", with: " "))\(way)")
    }
    if let outcome = effect.outcome { parts.append("outcome \(outcome)") }
    if effect.isExclusion { parts.append("excluded: the chain ends") }
    if !effect.broken.isEmpty { parts.append("breaks \(effect.broken.joined(separator: ", "))") }
    let name = "\(effect.app)/\(effect.flow)@\(effect.version)"
    return parts.isEmpty ? name : "\(name) \(parts.joined(separator: ", "))"
  }
}
