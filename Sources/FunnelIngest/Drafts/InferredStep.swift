import FunnelModel

/// What may become a step of a drafted flow.
enum InferredStep: Hashable, Comparable, Sendable {
  /// A screen, by the id that `step_viewed` has.
  case screen(String)
  /// An event, by its name.
  case event(String)
  /// A permission.
  case permission(String)

  /// The id of the step.
  var id: String {
    switch self {
    case .screen(let id), .event(let id), .permission(let id): id
    }
  }

  /// The id as people would write it: `first_note` is `First note`.
  var label: String { Self.label(of: id) }

  static func label(of id: String) -> String {
    let words = id.split(separator: "_").joined(separator: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  private var rank: Int {
    switch self {
    case .screen: 0
    case .event: 1
    case .permission: 2
    }
  }

  static func < (lhs: InferredStep, rhs: InferredStep) -> Bool { (lhs.id, lhs.rank) < (rhs.id, rhs.rank) }
}
