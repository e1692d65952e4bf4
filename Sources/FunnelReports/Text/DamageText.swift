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

extension TableRenderer {
  /// Prints a warning about a damaged log, if there is damage.
  mutating func printDamage() {
    guard let damage = document.damage else { return }
    printSentence("\(damage.headline)", mark: StyledText("! ", .caution), ink: .caution)
    for line in damage.lines { printSentence("\(line)", mark: StyledText("  - ")) }
    printSentence("\(ReportDamage.advice)", mark: StyledText("  "))
    printBlank()
  }
}
