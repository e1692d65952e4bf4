import FunnelProjections
import FunnelSequences
package import FunnelIndex
package import FunnelModel

/// Splits histories into journeys, one for each group (specification section 3), in the simplest way.
package enum JourneyCutter {
  /// Calls a body with each journey of one partition and the index of its flow version.
  package static func forEachJourney(
    of source: some SequenceSource, inPartition number: Int, countsByAttempt: [Bool],
    _ body: (_ flow: Int, _ sequence: StoredSequence) -> Void
  ) throws(FunnelError) {
    let kinds = source.eventClasses
    let segments = source.segments
    var groups: [Group: [TimedEvent]] = [:]
    try source.forEachSequence(inPartition: number) { (sequence) throws(FunnelError) in
      groups.removeAll(keepingCapacity: true)
      for index in 0..<sequence.count {
        let meaning = kinds[Int(sequence.classIDs[index])]
        let attempt = countsByAttempt[Int(meaning.flow)] ? sequence.attempts?[index] ?? 0 : 0
        groups[Group(flow: meaning.flow, attempt: attempt), default: []].append(
          TimedEvent(
            milliseconds: sequence.times[index], kind: meaning.kind, row: sequence.rows?[index] ?? 0,
            classID: sequence.classIDs[index]))
      }
      for (group, events) in groups {
        body(Int(group.flow), StoredSequence(events: events, segments: segments, entries: kinds))
      }
    }
  }

  private struct Group: Hashable {
    var flow: Int32
    var attempt: UInt64
  }
}
