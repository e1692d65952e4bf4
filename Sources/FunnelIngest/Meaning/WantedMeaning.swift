import FunnelModel

/// The parts of a claim on an event, besides its kind, that a reader wants.
struct WantedMeaning {
  /// The properties whose values claims carry if the flow version reads them differently from how they were logged.
  let props: Set<String>
  /// Whether that is wanted of every property.
  let allProps: Bool
  /// Whether claims carry the details of events (``EventDetail``).
  let details: Bool

  init(dimensions: [Dimension], details: Bool) {
    props = Set(dimensions.compactMap { if case .property(let key) = $0 { key } else { nil } })
    allProps = dimensions.contains(.properties)
    self.details = details
  }
}
