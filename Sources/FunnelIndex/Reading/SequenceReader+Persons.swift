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
    var eventCount = 0
    for occurrence in occurrences {
      eventCount += readers[Int(occurrence.run)].plain.eventCount(ofSubject: Int(occurrence.subject))
    }
    builder.reserve(eventCount)
    /// The user of each run from which those of the next subject are searched.
    var nextUsers = Array(repeating: 0, count: runs.count)
    var sources = ReaderSet()
    for occurrence in occurrences {
      readers[Int(occurrence.run)].skip(to: Int(occurrence.subject))
      sources.insert(Int(occurrence.run))
      guard occurrence.isLast else { continue }
      try gather(sources, to: &builder, namesOfTypes: namesOfTypes, appsOfTypes: appsOfTypes, nextUsers: &nextUsers)
      readers.leave(sources)
      sources = ReaderSet()
    }
    return builder.finish()
  }

  /// Gathers the events of the current subject of some readers.
  private mutating func gather(
    _ sources: ReaderSet, to builder: inout GatheredSubjects.Builder, namesOfTypes: [[UInt32]], appsOfTypes: [[UInt32]],
    nextUsers: inout [Int]
  ) throws(FunnelError) {
    if isPlain, !hasParts, !hasMeasures, sources.allSatisfy({ readers[$0].sequences.isEmpty }) {
      for source in sources {
        try gatherPlain(source, to: &builder, namesOfTypes[source], appsOfTypes[source], nextUser: &nextUsers[source])
      }
    } else {
      try gatherRows(sources, to: &builder, namesOfTypes: namesOfTypes, appsOfTypes: appsOfTypes, nextUsers: &nextUsers)
    }
    builder.endSubject(
      key: readers[sources.first].key,
      in: sources.map { source in
        IndexedTexts.Occurrence(
          run: UInt8(source), subject: UInt32(truncatingIfNeeded: readers[source].plain.subject),
          eventCount: readers[source].plain.count)
      })
  }

  /// Gathers the events that a run has of the current subject, for a report that depends only on types and times. Most do.
  @inline(__always)
  private mutating func gatherPlain(
    _ source: Int, to builder: inout GatheredSubjects.Builder, _ namesOfTypes: [UInt32], _ appsOfTypes: [UInt32],
    nextUser: inout Int
  ) throws(FunnelError) {
    let plain = readers[source].plain
    numbers.removeAll()
    let userNumbers = numbers.appendUninitialized(plain.count)
    try readers[source].userNumbers.read(plain.count) { userNumbers[$0] = UInt32(truncatingIfNeeded: $1) }
    let classIDs = classIDsOfTypes[source]
    var user: UInt32?
    var last: UInt32 = 0
    for event in 0..<plain.count {
      let time = plain.time(event)
      if time > request.now { break }
      let type = plain.type(event)
      // An event with a user tells to whom others belong, also if the report does not use it.
      if classIDs[type] == RunTranslation.unwanted, userNumbers[event] == 0 { continue }
      if userNumbers[event] != last {
        last = userNumbers[event]
        user = try number(ofUser: last, inRun: source, in: &builder, from: &nextUser)
      }
      builder.append(
        GatheredEvent(
          milliseconds: time, sequence: 0, attempt: 0, classID: classIDs[type], row: 0, app: appsOfTypes[type], part: 0,
          id: TextPlace(run: UInt8(source), number: UInt32(truncatingIfNeeded: event))), user: user,
        name: namesOfTypes[type], attempt: nil)
    }
  }

  /// Gathers the events of the current subject of some readers, for any report.
  private mutating func gatherRows(
    _ sources: ReaderSet, to builder: inout GatheredSubjects.Builder, namesOfTypes: [[UInt32]], appsOfTypes: [[UInt32]],
    nextUsers: inout [Int]
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
        user = try number(ofUser: event.user, inRun: source, in: &builder, from: &nextUsers[source])
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
  }

  /// Returns the number in a builder of a user of a reader's current subject, or `nil` for 0.
  ///
  /// - Parameter start: The number of users of earlier subjects, of which this is at least a part. Set to all of it.
  private func number(
    ofUser number: UInt32, inRun source: Int, in builder: inout GatheredSubjects.Builder, from start: inout Int
  ) throws(FunnelError) -> UInt32? {
    guard number > 0 else { return nil }
    let users = readers[source].users
    let own = users.users(ofSubject: readers[source].plain.subject, from: start)
    start = own.lowerBound
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
