import FunnelModel

/// A state that groups can be listed by, named as the count of a report that it stands for.
public enum GroupState: String, Hashable, Sendable, CaseIterable {
  case entered, completed, dropped, reached, excluded
  case inProgress = "in_progress"
  case prompted, granted, limited, provisional, denied, skipped, unanswered, recovered, unprimed
  case recoveredViaSettings = "recovered_via_settings"
}

extension GroupState {
  /// Other words for states that people know from everyday speech and from other products.
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

  /// Returns the name of the state that a word probably means: a state with a similar spelling, or the one that the word is a synonym of.
  public static func nearestName(to word: String) -> String? {
    synonyms[word.lowercased()]?.rawValue ?? NearestName.find(word, in: allCases.map(\.rawValue))
  }
}
