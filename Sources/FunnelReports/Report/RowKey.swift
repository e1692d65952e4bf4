import FunnelSequences
package import FunnelModel

/// The flow version and the segment of a row.
package struct RowKey: Hashable, Sendable {
  package var app: String
  package var flow: String
  /// The version of the flow, or `nil` if the row is about several versions.
  package var version: Int?
  /// One value for each dimension of the query's `by`.
  package var segment: [PropertyValue]

  package init(app: String, flow: String, version: Int?, segment: [PropertyValue]) {
    self.app = app
    self.flow = flow
    self.version = version
    self.segment = segment
  }
}

extension RowKey {
  /// Creates the key of all groups of a flow version.
  init(flow: FlowDefinition) { self.init(app: flow.app, flow: flow.flow, version: flow.version, segment: []) }

  /// Returns whether the row is about a flow version.
  func isOf(_ flow: FlowDefinition) -> Bool { app == flow.app && self.flow == flow.flow && version == flow.version }

  init(flow: FlowDefinition, segment: Segment) {
    self.init(app: flow.app, flow: flow.flow, version: flow.version, segment: segment.values)
  }
}
