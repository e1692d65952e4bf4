/// The damaged ranges of the log that a report could not read.
package struct ReportDamage: Hashable, Sendable {
  /// A damaged range of a log file.
  package struct Place: Hashable, Sendable {
    /// The path of the file, relative to the store.
    package var path: String
    /// The offset at which the damage begins, in bytes.
    package var offset: Int
    /// The number of events in the range that the report lacks, or `nil` if unknown.
    package var events: Int?
    /// The problem, as a clause.
    package var reason: String

    package init(path: String, offset: Int, events: Int?, reason: String) {
      precondition(offset >= 0 && events ?? 0 >= 0, "a range of a file has a beginning")
      self.path = path
      self.offset = offset
      self.events = events
      self.reason = reason
    }
  }

  package var places: [Place]

  package init(places: [Place]) {
    self.places = places
  }

  /// The number of events that the report lacks, or `nil` if unknown. It is 0 if all of them were read from a copy.
  package var missingEvents: Int? {
    places.reduce(0) { sum, place in sum.flatMap { sum in place.events.map { sum + $0 } } }
  }
}

/// The description of a damaged log in sentences.
extension ReportDamage {
  /// The maximum number of damaged ranges that are listed.
  static let placesShownMax = 5

  /// The extent of the damage, as one sentence.
  var headline: String {
    switch missingEvents {
    case nil: "The log is damaged: an unknown number of unreadable events is missing from this report."
    case 0?: "The log is damaged, but no event is missing from this report."
    case 1?: "The log is damaged: 1 event can't be read and is missing from this report."
    case let count?: "The log is damaged: \(HumanNumbers.count(count)) events can't be read and are missing from this report."
    }
  }

  /// One line for each damaged range, and one line for the ranges beyond ``placesShownMax``.
  var lines: [String] {
    let shown = places.prefix(Self.placesShownMax).map { place in
      "\(place.path) at byte \(place.offset): \(place.reason)"
        + (place.events.map { $0 > 0 ? ", \(HumanNumbers.count($0)) \($0 == 1 ? "event" : "events")" : "" } ?? "")
    }
    let more = places.count - shown.count
    return shown + (more > 0 ? ["and \(HumanNumbers.count(more)) more \(more == 1 ? "place" : "places")"] : [])
  }

  /// The commands that help, as a sentence.
  static let advice = "'funnel log verify' lists all damage, 'funnel log repair' keeps what is intact."
}
