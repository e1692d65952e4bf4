import FunnelModel

/// An event of a flow that is simulated from its definition, without the values that vary.
struct EventTemplate: Sendable {
  /// The index of the flow in ``DeclaredFlows/flows``.
  var flow: Int
  var name: [UInt8]
  /// The step, or nil if the event has none.
  var step: [UInt8]?
  /// The properties, sorted by key.
  var props: [Property]
  /// The values of `ctx` that the event must have, as JSON.
  var context: [(key: String, json: [UInt8])]

  /// A property and its values.
  struct Property: Sendable {
    /// The key as a JSON string.
    var key: [UInt8]
    /// A number that depends on the key alone, from which its values are derived.
    var hash: UInt64
    var values: PropertyGenerator
  }
}

extension SplitMix64 {
  /// Returns a hash of a text, the same on every machine.
  static func hash(of text: String) -> UInt64 {
    text.utf8.reduce(0) { combine($0, UInt64($1)) }
  }
}
