internal import FunnelDecoding
package import FunnelModel
import FunnelSystem

/// The event sequences of persons with several subjects, and of subjects with several persons, from the gathered events of
/// a source.
///
/// A sequence has the events of one person in one app, of flows that count persons or entries. The events of flows that count
/// subjects or attempts stay together by subject. Thread-safe.
package final class PersonSequences: Sendable {
  /// The columns of the sequences, and the limits of the report that reads them.
  package struct Request: Sendable {
    /// The time of the report, in milliseconds since the epoch.
    package var now: Int64
    /// The period of a report: a person whose events are all before it, or all after it, is skipped.
    package var since: Int64
    package var until: Int64
    /// Whether each flow version of the catalog counts persons, or entries of persons.
    package var countsPersons: [Bool]
    /// The largest number of subjects of a user that is merged.
    package var subjectsMax: Int
    package var hasAttempts: Bool
    package var hasRows: Bool
    package var hasMeasurements: Bool
    package var hasNames: Bool

    /// Creates a request.
    package init(
      _ query: ReportQuery, catalog: FlowCatalog, hasAttempts: Bool, hasRows: Bool, hasMeasurements: Bool
    ) {
      now = query.now.milliseconds
      since = query.since?.milliseconds ?? .min
      until = query.until?.milliseconds ?? .max
      countsPersons = catalog.definitions.map { query.unit(of: $0).isOfPersons }
      subjectsMax = query.subjectsOfPersonMax
      self.hasAttempts = hasAttempts
      self.hasRows = hasRows
      self.hasMeasurements = hasMeasurements
      hasNames = query.allNeeds.subjects
    }
  }

  /// The number of partitions into which the sequences are divided.
  package static let partitionCount = PersonGroups.count

  private let request: Request
  private let partitions: [GatheredSubjects]
  /// The event classes by ID.
  private let classes: UniqueArray<GatheredClass>
  /// Whether some event classes are of flows that count subjects or attempts.
  private let hasOthers: Bool
  private let threads: Int
  /// The persons as of each moment that was asked for.
  private let resolutions = Guarded<[Int64: PersonResolution]>([:])

  /// Regroups gathered events.
  ///
  /// - Parameters:
  ///   - partitions: The gathered subjects, each in one partition.
  ///   - classes: The event classes of the source, by ID.
  ///   - stepCounts: The number of steps of each flow version of the catalog.
  package init(
    _ partitions: [GatheredSubjects], classes: [EventClassTable.Entry], stepCounts: [Int], request: Request, threads: Int
  ) throws(FunnelError) {
    self.request = request
    self.partitions = partitions
    self.threads = threads
    self.classes = UniqueArray(
      classes.map {
        GatheredClass(
          rank: $0.kind.tieRank(stepCount: stepCounts[Int($0.flow)]), isOfPersons: request.countsPersons[Int($0.flow)])
      })
    hasOthers = request.countsPersons.contains(false)
    _ = try resolution(upTo: request.now)
  }

  /// The users that were not merged, as of the time of the report.
  package var crowded: [CrowdedUser] {
    resolutions.withLock { $0[request.now] }?.crowded ?? []
  }

  /// Returns the persons as of a moment.
  private func resolution(upTo moment: Int64) throws(FunnelError) -> PersonResolution {
    if let known = resolutions.withLock({ $0[moment] }) { return known }
    let found = try PersonResolution(
      partitions, upTo: moment, subjectsMax: request.subjectsMax, threads: moment == request.now ? threads : 1)
    resolutions.withLock { $0[moment] = found }
    return found
  }

  /// Passes each event sequence of one partition to `body` once.
  ///
  /// - Parameter moment: The time of the latest event that counts, in milliseconds since the epoch.
  package func forEachSequence(
    inPartition number: Int, upTo moment: Int64, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    let resolution = try resolution(upTo: min(moment, request.now))
    var writer = GatheredWriter(partitions, classes: classes.elements, request: request)
    try withExtendedLifetime(resolution) { () throws(FunnelError) in
      let group = resolution.groups[number]
      let assigned = UniqueArray(resolution.assigned.map(\.allEvents))
      for (start, end) in zip(group.starts, group.starts.dropFirst()) {
        for index in start..<end {
          let piece = group.pieces[index]
          for event in piece.events {
            writer.append(
              assigned[Int(piece.partition)][event], ofSubject: piece.subject, inPartition: piece.partition, ofPersons: true)
          }
        }
        try writer.finish(names: { () throws(FunnelError) in try names(of: group.pieces[start..<end]) }, body)
      }
    }
    guard hasOthers else { return }
    for (partition, gathered) in partitions.enumerated() {
      for index in Self.share(number, of: gathered.subjects.count) {
        let subject = gathered.subjects[index]
        for event in subject.events where gathered.events[event].milliseconds <= moment {
          writer.append(
            AssignedEvent(gathered.events[event], number: UInt32(event)), ofSubject: UInt32(index),
            inPartition: UInt32(partition), ofPersons: false)
        }
        try writer.finish(
          names: { () throws(FunnelError) in
            let name = try gathered.name(ofSubject: index)
            return GatheredNames.Texts(counted: name, all: [name])
          }, body)
      }
    }
  }

  /// Returns the indices of a partition among `count` ones.
  private static func share(_ number: Int, of count: Int) -> Range<Int> {
    number * count / partitionCount..<(number + 1) * count / partitionCount
  }

  /// Returns the texts of a person.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  private func names(of pieces: ArraySlice<PersonPiece>) throws(FunnelError) -> GatheredNames.Texts {
    precondition(!pieces.isEmpty, "a person has events")
    var texts = GatheredNames.Texts(counted: "", all: [])
    for piece in pieces { texts.all.append(try partitions[Int(piece.partition)].name(ofSubject: Int(piece.subject))) }
    texts.counted = texts.all[0]
    if let piece = pieces.first(where: { $0.user != GatheredEvent.none }) {
      texts.counted = try partitions[Int(piece.partition)].name(ofUser: piece.user)
      texts.all.insert(texts.counted, at: 0)
    }
    return texts
  }
}
