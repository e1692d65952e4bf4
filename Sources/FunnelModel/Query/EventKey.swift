/// A reference to events on the command line: by name, by the step they enter, or by the answer to a permission prompt.
///
///     signup_completed        the events of this name
///     step:welcome            the events that enter the step welcome
///     perm:photos:granted     the events that log this answer
package enum EventKey: Hashable, Sendable, CustomStringConvertible {
  /// The events of a name.
  case event(name: String)
  /// The events that enter a step.
  case step(id: String)
  /// The events that log an answer to the prompt for a permission.
  case answer(Answer, permission: String)

  /// An answer to a permission prompt.
  package enum Answer: String, Hashable, Sendable, CaseIterable {
    case granted, limited, provisional, denied, skipped

    /// Creates the answer that an event logs, or returns `nil` if it logs none.
    init?(_ suffix: PermissionEventName.Suffix) {
      switch suffix.action {
      case .granted: self = .granted
      case .limited: self = .limited
      case .provisional: self = .provisional
      case .denied: self = .denied
      case .skipped: self = .skipped
      case .other, .prePrompt, .enableTapped, .settingsOpened: return nil
      }
    }

    /// The suffixes of the events that log the answer.
    var suffixes: [PermissionEventName.Suffix] { PermissionEventName.Suffix.allCases.filter { Answer($0) == self } }
  }

  /// The syntax of keys, for help texts and errors.
  package static let forms =
    "an event name, step:ID or perm:PERMISSION:ANSWER (\(Answer.allCases.map(\.rawValue).joined(separator: ", ")))"

  /// Parses a key; returns `nil` if the text has none of the forms.
  package init?(_ text: some StringProtocol) {
    let parts = String(text).split(separator: ":" as Character, omittingEmptySubsequences: false).map { String($0) }
    switch (parts.count, parts[0]) {
    case (1, _) where NameSyntax.matches(parts[0]): self = .event(name: parts[0])
    case (2, "step") where NameSyntax.matches(parts[1]): self = .step(id: parts[1])
    case (3, "perm") where NameSyntax.matches(parts[1]):
      guard let answer = Answer(rawValue: parts[2]) else { return nil }
      self = .answer(answer, permission: parts[1])
    default: return nil
    }
  }

  /// Creates the key of the answer that an event logs, or returns `nil` if the event logs none.
  package init?(answerLoggedBy eventName: String) {
    guard let name = PermissionEventName(eventName), let answer = Answer(name.suffix) else { return nil }
    self = .answer(answer, permission: name.permission)
  }

  /// The key as ``init(_:)`` parses it.
  package var description: String {
    switch self {
    case .event(let name): name
    case .step(let id): "step:\(id)"
    case .answer(let answer, let permission): "perm:\(permission):\(answer.rawValue)"
    }
  }
}

extension EventKey {
  /// Returns the patterns of the events that the key refers to, without duplicates.
  ///
  /// - Parameter definitions: The flow versions that define what enters a step. A step that none of them has is
  ///   entered by `step_viewed` with its ID.
  package func patterns(in definitions: [FlowDefinition]) -> [EventPattern] {
    switch self {
    case .event(let name): return [EventPattern(event: name)]
    case .answer(let answer, let permission):
      return answer.suffixes.map { EventPattern(event: PermissionEventName.name($0, of: permission)) }
    case .step(let id):
      var patterns: [EventPattern] = []
      for definition in definitions {
        for step in definition.steps where step.id == id {
          for pattern in definition.patterns(entering: step) where !patterns.contains(pattern) { patterns.append(pattern) }
        }
      }
      return patterns.isEmpty ? [.viewing(id)] : patterns
    }
  }
}
