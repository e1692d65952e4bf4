/// A flow version that is simulated from its definition alone: what its people go through, as indices of events in
/// ``DeclaredFlows/events``.
struct DeclaredFlow: Sendable {
  var app: [UInt8]
  var flow: [UInt8]
  var version: Int
  /// Whether each attempt is counted separately.
  var countsAttempts: Bool
  var steps: [Step] = []
  /// The events of outcomes that enter no step.
  var successes: [UInt32] = []
  var failures: [UInt32] = []
  var permissionCount = 0
  /// A screen that the version does not have.
  var unknownScreen: UInt32 = 0

  /// A step, and how people behave there.
  struct Step: Sendable {
    /// The events of which one enters the step; those of a subject's later starts may differ.
    var entries: [UInt32]
    var laterEntries: [UInt32]
    /// Whether entering the step is the pre-prompt of a permission.
    var isPrePrompt: Bool
    /// Whether the events that enter the step are outcomes too.
    var isOutcome: Bool
    var isOptional: Bool
    /// The events that leave a screen, if people can leave it so.
    var completion: UInt32?
    var skip: UInt32?
    var back: UInt32?
    var failure: UInt32?
    /// The permission that the step is about, or those that are asked for inside it, in this order.
    var asks: [Ask] = []
    /// The permissions, by number, without whose full grant the step is not shown.
    var requiredGrants: [Int] = []
    /// The least time after the entry of the required step before, in milliseconds.
    var minGapMilliseconds: Int64 = 0
    /// The share of people who leave.
    var leaving: Double
    /// The median time people stay, in seconds.
    var medianSeconds: Double
  }

  /// A question for a permission.
  struct Ask: Sendable {
    /// The number of the permission within the flow.
    var permission: Int
    /// The pre-prompt, or `nil` if the step itself is one.
    var prePrompt: UInt32?
    var enableTapped: UInt32
    var granted: UInt32
    var limited: UInt32
    var denied: UInt32
    var skipExplained: UInt32
    var skipped: UInt32
    var rates: PermissionRates
    /// Whether people can decline on the pre-prompt.
    var hasWayPast: Bool
    /// The time for which a skip is explained, in milliseconds.
    var skipMilliseconds: Int64
  }

  /// The index of the last required step, whose entry completes the flow.
  var lastRequired: Int { steps.lastIndex { !$0.isOptional } ?? steps.count - 1 }
}
