internal import FunnelHistories
public import FunnelModel

/// The flow version and the segment of a row.
public struct RowKey: Hashable, Sendable {
  public var app: String
  public var flow: String
  /// The version of the flow, or `nil` if the row is about several versions.
  public var version: Int?
  /// One value for each dimension of the query's `by`.
  public var segment: [PropertyValue]

  public init(app: String, flow: String, version: Int?, segment: [PropertyValue]) {
    self.app = app
    self.flow = flow
    self.version = version
    self.segment = segment
  }
}

extension RowKey {
  init(flow: FlowDefinition, segment: Segment) {
    self.init(app: flow.app, flow: flow.flow, version: flow.version, segment: segment.values)
  }
}
