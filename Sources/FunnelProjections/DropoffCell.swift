import FunnelJourneys
import FunnelModel

/// The drop-off of one segment.
struct DropoffCell: SegmentCell {
  private(set) var groupCount = 0
  /// Of each required step but the last, the groups that came no further.
  private(set) var places: [Place]

  struct Place: Sendable {
    var inProgress = 0
    /// Groups by how they left.
    var exits = Array(repeating: 0, count: ExitKind.allCases.count)
    /// Time from the match of the step to the last event.
    var dwell = DurationDistribution()

    var dropped: Int { exits.reduce(0, +) }
  }

  init(requiredCount: Int) {
    places = Array(repeating: Place(), count: max(0, requiredCount - 1))
  }

  mutating func count(_ journey: Journey, by match: ChainMatch, isCompleted: Bool) {
    groupCount += 1
    if isCompleted { return }
    let place = match.level - 1
    guard !match.isOpen else {
      places[place].inProgress += 1
      return
    }
    let matched = match[place]
    let last = journey.events[Self.lastEvent(of: journey, from: matched, until: match.deadline)]
    places[place].exits[Int(last.kind.exit.rawValue)] += 1
    places[place].dwell.record(last.milliseconds - journey.events[matched].milliseconds)
  }

  /// The last event at or before the deadline, by bisection; `start` is not after it.
  private static func lastEvent(of journey: Journey, from start: Int, until deadline: Int64) -> Int {
    var low = start
    var high = journey.events.count - 1
    if journey.events[high].milliseconds <= deadline { return high }
    while low + 1 < high {
      let middle = low + (high - low) / 2
      if journey.events[middle].milliseconds <= deadline { low = middle } else { high = middle }
    }
    return low
  }

  mutating func merge(_ other: DropoffCell) {
    groupCount += other.groupCount
    for index in places.indices {
      places[index].inProgress += other.places[index].inProgress
      for exit in places[index].exits.indices { places[index].exits[exit] += other.places[index].exits[exit] }
      places[index].dwell.merge(other.places[index].dwell)
    }
  }
}
