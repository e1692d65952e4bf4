import FunnelModel

/// A candidate for a step of an inferred flow.
enum InferredStep: Hashable, Comparable, Sendable {
  /// A screen, by the step ID of its `step_viewed` events.
  case screen(String)
  /// An event, by its name.
  case event(String)
  /// A permission.
  case permission(String)

  /// The ID of the step.
  var id: String {
    switch self {
    case .screen(let id), .event(let id), .permission(let id): id
    }
  }

  /// The ID as a human-readable label: `First note` for `first_note`.
  var label: String { Self.label(of: id) }

  /// Returns an ID as a human-readable label.
  static func label(of id: String) -> String {
    let words = id.split(separator: "_").joined(separator: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  /// The rank among steps with the same ID.
  private var rank: Int {
    switch self {
    case .screen: 0
    case .event: 1
    case .permission: 2
    }
  }

  static func < (lhs: InferredStep, rhs: InferredStep) -> Bool { (lhs.id, lhs.rank) < (rhs.id, rhs.rank) }
}
