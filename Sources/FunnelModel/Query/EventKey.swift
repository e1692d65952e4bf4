/// A reference to events on the command line: by name, by the step they enter, or by the answer to a permission prompt.
///
///     signup_completed        the events of this name
///     step:welcome            the events that enter the step welcome
///     perm:photos:granted     the events that log this answer
package enum EventKey: Hashable, Sendable, CustomStringConvertible {
  /// The events of a name.
  case event(String)
  /// The events that enter the step with an ID.
  case step(String)
  /// The events that log an answer for a permission.
  case permission(String, Answer)

  /// An answer to a permission prompt.
  package enum Answer: String, Hashable, Sendable, CaseIterable {
    case granted, limited, provisional, denied, skipped

    /// The suffixes of the events that log the answer.
    package var suffixes: [PermissionEventName.Suffix] {
      switch self {
      case .granted: [.granted]
      case .limited: [.limited, .once, .whileUsing]
      case .provisional: [.provisional, .ephemeral]
      case .denied: [.denied, .dialogDismissed]
      case .skipped: [.skipped, .skipExplained]
      }
    }
  }

  /// The syntax of keys, for help texts and errors.
  package static let forms =
    "an event name, step:ID or perm:PERMISSION:ANSWER (\(Answer.allCases.map(\.rawValue).joined(separator: ", ")))"

  /// Parses a key; returns `nil` if the text has none of the forms.
  package init?(_ text: some StringProtocol) {
    let parts = String(text).split(separator: ":" as Character, omittingEmptySubsequences: false).map { String($0) }
    switch (parts.count, parts[0]) {
    case (1, _) where NameSyntax.matches(parts[0]): self = .event(parts[0])
    case (2, "step") where NameSyntax.matches(parts[1]): self = .step(parts[1])
    case (3, "perm") where NameSyntax.matches(parts[1]):
      guard let answer = Answer(rawValue: parts[2]) else { return nil }
      self = .permission(parts[1], answer)
    default: return nil
    }
  }

  package var description: String {
    switch self {
    case .event(let name): name
    case .step(let id): "step:\(id)"
    case .permission(let permission, let answer): "perm:\(permission):\(answer.rawValue)"
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
    case .permission(let permission, let answer):
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
