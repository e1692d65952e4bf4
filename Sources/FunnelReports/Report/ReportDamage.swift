/// The parts of the log that could not be read for a report.
public struct ReportDamage: Hashable, Sendable {
  /// One range of the log.
  public struct Place: Hashable, Sendable {
    /// The path of the file, relative to the store.
    public var path: String
    /// The offset at which the damage begins, in bytes.
    public var offset: Int
    /// The number of its events that the report lacks; nil if unknown.
    public var events: Int?
    /// The problem, as a clause.
    public var reason: String

    public init(path: String, offset: Int, events: Int?, reason: String) {
      self.path = path
      self.offset = offset
      self.events = events
      self.reason = reason
    }
  }

  public var places: [Place]

  public init(places: [Place]) {
    self.places = places
  }

  /// The number of events that the report lacks: nil if unknown, 0 if they were read from elsewhere.
  public var missingEvents: Int? {
    places.reduce(0) { sum, place in sum.flatMap { sum in place.events.map { sum + $0 } } }
  }
}
