/// A state that groups can be listed by, named as the count of a report that it stands for.
public enum GroupState: String, Hashable, Sendable, CaseIterable {
  case entered, completed, dropped, reached, excluded
  case inProgress = "in_progress"
  case prompted, granted, limited, provisional, denied, skipped, unanswered, recovered, unprimed
  case recoveredViaSettings = "recovered_via_settings"
}
