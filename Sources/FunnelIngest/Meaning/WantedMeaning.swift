import FunnelModel

/// The optional contents of flow matches, besides the event class.
struct WantedMeaning {
  /// The properties whose values a flow match contains if an upcast sets them.
  let props: Set<String>
  /// Whether a flow match contains every property that an upcast sets.
  let allProps: Bool
  /// Whether flow matches contain an ``EventDetail``.
  let details: Bool

  /// Selects the contents that reports by some dimensions need.
  init(dimensions: [Dimension], details: Bool) {
    props = Set(dimensions.compactMap { if case .property(let key) = $0 { key } else { nil } })
    allProps = dimensions.contains(.properties)
    self.details = details
  }
}
