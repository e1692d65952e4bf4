/// An event as a user names it on the command line: by its name, as whatever enters a step, or as an answer to a permission question.
///
///     signup_completed        an event of this name
///     step:welcome            whatever enters the step welcome
///     perm:photos:granted     the events that stand for this answer
public enum EventKey: Hashable, Sendable, CustomStringConvertible {
  case event(String)
  case step(String)
  case permission(String, Answer)

  /// An answer to a permission question, with the events that stand for it.
  public enum Answer: String, Hashable, Sendable, CaseIterable {
    case granted, limited, provisional, denied, skipped

    /// The endings of the events' names.
    public var suffixes: [PermissionEventName.Suffix] {
      switch self {
      case .granted: [.granted]
      case .limited: [.limited, .once, .whileUsing]
      case .provisional: [.provisional, .ephemeral]
      case .denied: [.denied, .dialogDismissed]
      case .skipped: [.skipped, .skipExplained]
      }
    }
  }

  /// The forms of keys, for help texts and errors.
  public static let forms =
    "an event name, step:ID or perm:PERMISSION:ANSWER (\(Answer.allCases.map(\.rawValue).joined(separator: ", ")))"

  /// Parses a key; returns nil if the text has none of the forms.
  public init?(_ text: some StringProtocol) {
    let parts = String(text).split(separator: ":" as Character, omittingEmptySubsequences: false).map { String($0) }
    switch (parts.count, parts[0]) {
    case (1, _) where ConfigurationReader.isName(parts[0]): self = .event(parts[0])
    case (2, "step") where ConfigurationReader.isName(parts[1]): self = .step(parts[1])
    case (3, "perm") where ConfigurationReader.isName(parts[1]):
      guard let answer = Answer(rawValue: parts[2]) else { return nil }
      self = .permission(parts[1], answer)
    default: return nil
    }
  }

  public var description: String {
    switch self {
    case .event(let name): name
    case .step(let id): "step:\(id)"
    case .permission(let permission, let answer): "perm:\(permission):\(answer.rawValue)"
    }
  }
}

extension EventKey {
  /// Returns the events that a key means, each once.
  ///
  /// - Parameter definitions: The flow versions whose steps are known. If none of them has a step, `step_viewed` with its id enters it.
  public func patterns(in definitions: [FlowDefinition]) -> [EventPattern] {
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
