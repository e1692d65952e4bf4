package import FunnelModel
package import FunnelProjections
package import FunnelRendering

/// Renders a list of groups as text.
package struct GroupsText: Sendable {
  /// The output format of a list of groups.
  package enum Format: String, Hashable, Sendable, CaseIterable {
    case table, json, csv
    /// Only the subject of each group, one per line.
    case lines
  }

  private let query: ReportQuery
  private let flow: FlowDefinition
  /// The number of all groups, including those beyond the limit.
  private let count: Int
  private let groups: [ListedGroup]

  /// Creates a list.
  ///
  /// - Parameters:
  ///   - groups: All groups, in their order.
  ///   - limit: The maximum number of listed groups, or `nil` for all.
  package init(_ groups: [ListedGroup], of flow: FlowDefinition, query: ReportQuery, limit: Int?) {
    precondition(limit ?? 0 >= 0, "a list can't have a negative number of groups")
    self.query = query
    self.flow = flow
    count = groups.count
    self.groups = limit.map { Array(groups.prefix($0)) } ?? groups
  }

  /// Returns the list in a format.
  package func text(_ format: Format, dialect: CSVDialect = .plain) -> String {
    switch format {
    case .table: table
    case .json: json
    case .csv: csv(dialect)
    // A subject contains no control characters, so it is one line.
    case .lines: groups.reduce(into: "") { $0 += $1.subject + "\n" }
    }
  }

  /// A sentence about listed groups that dropped although their last step is the last required one. Empty if
  /// there are none.
  package var droppedNotes: [String] {
    guard let last = flow.requiredSteps.last else { return [] }
    let finished = groups.count { $0.lastStep == last }
    guard finished > 0 else { return [] }
    let noun = CountedNoun(of: query, flow)
    return [
      "\(HumanNumbers.count(finished)) of the \(noun.counted(groups.count)) listed did reach \(flow.steps[last].label), the last step: they "
        + "skipped a required step or took the steps in another order; --order any leaves out those who took all steps"
    ]
  }

  private var json: String {
    JSONWriter.text { output in
      output.append("{\n  \"query\":")
      output.append(query)
      output.append(",\n  \"count\":")
      output.append(count)
      output.append(",\n  \"groups\":")
      output.append(lines: groups, indent: "\n    ", end: "\n  ") { $0.append(tree(of: $1)) }
      output.append("\n}\n")
    }
  }

  private func tree(of group: ListedGroup) -> JSONValue {
    .object([
      ("app", .text(flow.app)), ("flow", .text(flow.flow)), ("version", .count(flow.version)),
      ("subject", .text(group.subject)), ("attempt", group.attempt.map(JSONValue.text) ?? .null),
      ("anchor", group.anchor.map { .text($0.description) } ?? .null), ("level", .count(group.matchedStepCount)),
      ("last_step", group.lastStep.map { .text(flow.steps[$0].id) } ?? .null),
    ])
  }

  private func csv(_ dialect: CSVDialect) -> String {
    let header: [CSVText] = ["app", "flow", "version", "subject", "attempt", "anchor", "level", "last_step"]
    let lines = groups.map { group -> [CSVText] in
      [
        "\(flow.app)", "\(flow.flow)", CSVText(number: Int64(flow.version)), "\(group.subject)",
        group.attempt.map { "\($0)" } ?? .absent, group.anchor.map { "\($0.description)" } ?? .absent,
        CSVText(number: Int64(group.matchedStepCount)), group.lastStep.map { "\(flow.steps[$0].id)" } ?? .absent,
      ]
    }
    return dialect.text(of: [header] + lines)
  }

  private var table: String {
    let required = flow.requiredSteps.count
    let hasAttempts = groups.contains { $0.attempt != nil }
    var rows: [[TerminalText]] = [["subject"] + (hasAttempts ? ["attempt"] : []) + ["began", "level", "last step"]]
    for group in groups {
      rows.append(
        ["\(group.subject)"] + (hasAttempts ? [group.attempt.map { "\($0)" } ?? "-"] : []) + [
          group.anchor.map { "\($0.description)" } ?? "-", "\(String(group.matchedStepCount)) of \(String(required))",
          group.lastStep.map { "\(flow.steps[$0].label)" } ?? "-",
        ])
    }
    let widths = rows[0].indices.map { column in rows.map { StyledText($0[column]).width }.max() ?? 0 }
    let lines = rows.map { row in
      row.enumerated().map { column, cell in cell + TerminalText(" ").repeated(widths[column] - StyledText(cell).width) }
        .reduce(TerminalText("")) { $0 == "" ? $1 : $0 + "  " + $1 }.withoutTrailingBlanks.text + "\n"
    }
    let words = CountedNoun(of: query, flow).counted(count)
    let first = groups.count == 1 ? "showing the first" : "showing the first \(HumanNumbers.count(groups.count))"
    let limited = count > groups.count ? ", \(first)" : ""
    return "\(words) of \(flow.reference)\(limited)\n" + (groups.isEmpty ? "" : "\n" + lines.joined())
  }
}
