/// The damaged ranges of the log that a report could not read.
public struct ReportDamage: Hashable, Sendable {
  /// A damaged range of a log file.
  public struct Place: Hashable, Sendable {
    /// The path of the file, relative to the store.
    public var path: String
    /// The offset at which the damage begins, in bytes.
    public var offset: Int
    /// The number of events in the range that the report lacks, or `nil` if unknown.
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

  /// The number of events that the report lacks, or `nil` if unknown. It is 0 if all of them were read from a copy.
  public var missingEvents: Int? {
    places.reduce(0) { sum, place in sum.flatMap { sum in place.events.map { sum + $0 } } }
  }
}
