import FunnelModel
import FunnelRendering

/// A state of groups that can be listed. Each has the name of the report field with its count.
package enum GroupState: String, Hashable, Sendable, CaseIterable {
  case entered, completed, dropped, reached, excluded
  case inProgress = "in_progress"
  case prompted, granted, limited, provisional, denied, skipped, unanswered, recovered, unprimed
  case recoveredViaSettings = "recovered_via_settings"
  /// Came back in a period of the retention report.
  case returned
  // Dropped, by the last event: the exits of the drop-off report.
  case exitSkipped = "exit:skipped"
  case exitDenied = "exit:denied"
  case exitFailed = "exit:failed"
  case exitBack = "exit:back"
  case exitLeft = "exit:left"
  case exitEnded = "exit:ended"

  /// The way in which the groups left, or `nil` for a state that is no exit.
  var exit: ExitKind? { ExitKind.allCases.first { rawValue == Self.name(of: $0) } }

  /// Returns the name of the state of an exit.
  static func name(of exit: ExitKind) -> String { "exit:\(exit.name)" }
}

extension GroupState {
  /// Synonyms of states from everyday language and from other products.
  private static let synonyms: [String: GroupState] = [
    "started": .entered, "all": .entered,
    "finished": .completed, "converted": .completed, "succeeded": .completed, "done": .completed,
    "failed": .dropped, "lost": .dropped, "left": .dropped, "churned": .dropped, "abandoned": .dropped, "dropoff": .dropped,
    "drop-off": .dropped,
    "open": .inProgress, "active": .inProgress, "pending": .inProgress, "running": .inProgress, "waiting": .inProgress,
    "asked": .prompted, "shown": .prompted,
    "accepted": .granted, "allowed": .granted, "authorized": .granted,
    "declined": .denied, "refused": .denied, "rejected": .denied, "blocked": .denied,
    "ignored": .unanswered,
  ]

  /// Returns the name of the state that a word is a synonym of or resembles in spelling, or `nil` if there is none.
  package static func nearestName(to word: String) -> String? {
    synonyms[word.lowercased()]?.rawValue ?? NearestName.find(word, in: allCases.map(\.rawValue))
  }
}

extension TableColumn {
  /// Returns a column of numbers of people in a state of the flow, which served pages link to their lists.
  static func people(
    _ title: ColumnTitle, _ state: GroupState, priority: ColumnPriority = .essential, _ count: @escaping (Line) -> Int?
  ) -> TableColumn {
    TableColumn(title, priority: priority) { .people(count($0), .flow(state.rawValue)) }
  }
}
