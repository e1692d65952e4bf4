/// What of the log could not be read for a report.
public struct ReportDamage: Hashable, Sendable {
  /// One stretch of the log.
  public struct Place: Hashable, Sendable {
    /// The file, below the store.
    public var path: String
    /// Where the damage begins, in bytes.
    public var offset: Int
    /// Events of it that the report lacks; nil where nobody knows.
    public var events: Int?
    /// What is wrong, as a clause.
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

  /// How many events the report lacks; nil where nobody knows, 0 where they came from elsewhere.
  public var missingEvents: Int? {
    places.reduce(0) { sum, place in sum.flatMap { sum in place.events.map { sum + $0 } } }
  }
}
