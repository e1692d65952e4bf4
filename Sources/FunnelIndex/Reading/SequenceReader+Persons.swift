internal import FunnelDecoding
internal import FunnelModel

/// The events of subjects that are regrouped by person (``RegroupedSubjects``).
extension SequenceReader {
  /// Gathers the events of subjects from all runs.
  ///
  /// - Parameters:
  ///   - occurrences: The subjects' occurrences in the runs, in the order of their keys.
  ///   - appsOfTypes: For each run the number of each event type's app.
  mutating func gather(
    _ occurrences: [SharedSubjects.Occurrence], ofPartition partition: Int, appsOfTypes: [[UInt32]]
  ) throws(FunnelError) -> GatheredSubjects {
    var builder = GatheredSubjects.Builder(runs, partition: partition)
    // Names are numbered once for each run, because an event's type is known by its code.
    var namesOfTypes: [[UInt32]] = []
    for run in runs { namesOfTypes.append(try run.names().map { builder.number(ofText: $0) }) }
    var sources = ReaderSet()
    for occurrence in occurrences {
      readers[Int(occurrence.run)].skip(to: Int(occurrence.subject))
      sources.insert(Int(occurrence.run))
      guard occurrence.isLast else { continue }
      try gather(sources, to: &builder, namesOfTypes: namesOfTypes, appsOfTypes: appsOfTypes)
      readers.leave(sources)
      sources = ReaderSet()
    }
    return builder.finish()
  }

  /// Gathers the events of the current subject of some readers.
  private mutating func gather(
    _ sources: ReaderSet, to builder: inout GatheredSubjects.Builder, namesOfTypes: [[UInt32]], appsOfTypes: [[UInt32]]
  ) throws(FunnelError) {
    events.removeAll()
    measurements.removeAll()
    for source in sources { try readers[source].read(into: &events, &measurements, source: UInt8(source)) }
    // An event with a user tells to whom others belong, also if the report does not use it.
    _ = try translateRows { $0.user > 0 }
    var user: UInt32?
    var last: (source: UInt8, number: UInt32) = (0, 0)
    for index in 0..<events.count {
      let event = events[index]
      let source = Int(event.source)
      if event.source != last.source || event.user != last.number {
        user = try number(ofUser: event.user, inRun: source, in: &builder)
        last = (event.source, event.user)
      }
      builder.append(
        GatheredEvent(
          milliseconds: event.milliseconds, sequence: event.sequence, attempt: event.attempt, classID: event.type,
          row: event.context, app: appsOfTypes[source][Int(event.props)], part: event.part,
          id: TextPlace(run: event.source, number: event.event)), user: user,
        name: namesOfTypes[source][Int(event.props)], attempt: nil)
      guard event.measurements != EventMeasurements.none else { continue }
      var next = Int(event.measurements)
      repeat {
        builder.append(measurements[next])
        next += 1
      } while !measurements[next - 1].isLast
    }
    builder.endSubject(
      key: readers[sources.first].key,
      in: sources.map { source in
        IndexedTexts.Occurrence(
          run: UInt8(source), subject: UInt32(truncatingIfNeeded: readers[source].plain.subject),
          eventCount: readers[source].plain.count)
      })
  }

  /// Returns the number in a builder of a user of a reader's current subject, or `nil` for 0.
  private func number(
    ofUser number: UInt32, inRun source: Int, in builder: inout GatheredSubjects.Builder
  ) throws(FunnelError) -> UInt32? {
    guard number > 0 else { return nil }
    let users = readers[source].users
    let own = users.users(ofSubject: readers[source].plain.subject)
    guard Int(number) <= own.count else { throw FunnelError.damagedIndex }
    let user = own.lowerBound + Int(number) - 1
    let key = users.key(of: user)
    return builder.number(ofUser: key)
      ?? builder.addUser(key, at: TextPlace(run: UInt8(source), number: UInt32(truncatingIfNeeded: user)))
  }
}

extension SortedRun {
  /// Returns the name of each event type.
  ///
  /// - Throws: `inputOutput` if a type is damaged.
  fileprivate func names() throws(FunnelError) -> [[UInt8]] {
    var names: [[UInt8]] = []
    for type in types {
      guard let name = type.withBorrowedElements({ EventTypeText($0)?.name.array }) else { throw FunnelError.damagedIndex }
      names.append(name)
    }
    return names
  }
}
