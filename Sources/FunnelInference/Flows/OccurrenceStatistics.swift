package import FunnelDecoding
import FunnelImport
package import FunnelIngest
package import FunnelModel

/// The time at which each subject first logged each event class.
///
/// A flow definition can be inferred from these statistics, or checked against them. At most ``subjectsMax`` subjects are
/// kept. If there are more, the ones with the lowest hashes are kept: a random sample that does not depend on the order of
/// the events.
package struct OccurrenceStatistics: Sendable {
  /// An event class: an event type, and its matches with the flows of a catalog.
  package struct LoggedClass: Hashable, Sendable {
    /// The event type.
    package var name: EventTypeName
    /// The matches with flows of the catalog.
    package var flowMatches: [EventClassTable.FlowMatch]
    /// Whether a flow of the catalog declares the event.
    package var isDeclared: Bool
  }

  /// The first time at which a subject logged an event class, and how often it did.
  package struct Occurrence: Hashable, Sendable {
    /// The index of the event class in ``OccurrenceStatistics/eventClasses``.
    package var eventClass: Int
    /// The time, the `seq` and the position of the event.
    package var moment: Moment
    /// The number of events.
    var count = 1
    /// The time of the last event, in milliseconds since the epoch.
    var lastMilliseconds: Int64
    /// The time in milliseconds since the epoch.
    package var milliseconds: Int64 { moment.milliseconds }
  }

  /// The time, the `seq` and the position of an event, by which events are ordered.
  package struct Moment: Hashable, Comparable, Sendable {
    /// The time in milliseconds since the epoch.
    var milliseconds: Int64
    /// The `seq` of the event, or 0 if it has none.
    var sequence: Int64
    /// The number of events before this one in the input.
    var number: Int

    package static func < (lhs: Moment, rhs: Moment) -> Bool {
      (lhs.milliseconds, lhs.sequence, lhs.number) < (rhs.milliseconds, rhs.sequence, rhs.number)
    }
  }

  /// The events of one subject.
  package struct Subject: Hashable, Sendable {
    /// The first occurrence of each event class, in no particular order.
    package fileprivate(set) var occurrences: [Occurrence] = []
    /// The app version of the first event, as an index into ``OccurrenceStatistics/appVersions``, or `nil` if it has none.
    package fileprivate(set) var appVersion: Int?
    /// The time of the first event.
    fileprivate var firstMilliseconds = Int64.max
  }

  /// The maximum number of subjects.
  package static let subjectsMax = 200_000

  /// The event classes in the order in which they first occur.
  package fileprivate(set) var eventClasses: [LoggedClass] = []
  /// The number of events of each class.
  package fileprivate(set) var eventCounts: [Int] = []
  /// The number of events that were skipped, because there are too many event classes.
  package fileprivate(set) var skippedEvents = 0
  /// The first rejection, or `nil` if there is none.
  package fileprivate(set) var firstRejection: Rejection?
  /// The users of the events.
  fileprivate(set) var accounts = AccountStatistics()
  /// The app versions in the order in which they first occur.
  package fileprivate(set) var appVersions: [String] = []
  /// The subjects that are kept.
  package var subjects: [Subject] { Array(subjectsByHash.values) }
  /// The subjects that are kept, by the hashes of their IDs.
  fileprivate var subjectsByHash: [Hash128: Subject] = [:]
  /// The upper bound of the hashes of kept subjects, for the high word.
  fileprivate var hashMax = UInt64.max

  /// The maximum number of event classes. Events of further classes are skipped.
  static let eventClassesMax = 4096
  /// The maximum number of app versions. Further ones count as missing.
  fileprivate static let appVersionsMax = 1024

  /// Whether subjects were dropped.
  package var isSample: Bool { hashMax < .max }

  /// Returns the statistics of event files, and the numbers of lines and rejections.
  ///
  /// - Throws: `noInput` or `inputOutput` if a file can't be read.
  package static func ofFiles(
    _ files: [InputFile], options: DecodingOptions, catalog: FlowCatalog, progress: (InputProgress) -> Void
  ) throws(FunnelError) -> (statistics: OccurrenceStatistics, counts: InputCounts) {
    var decoder = BlockDecoder(options: options, catalog: catalog)
    var recorder = OccurrenceRecorder()
    let pool = BlockPool(blockBytesTarget: Limits.memberRawBytesTarget)
    var reader = InputReader(files: files, imports: options.imports, pool: pool)
    while let block = try reader.next() {
      recorder.counts.bytes += block.byteCount
      decoder.decode(block, into: &recorder)
      recorder.nameFlowMatches(decoder.flowMatchLists)
      pool.give(block)
      progress(
        InputProgress(events: recorder.counts.events, bytes: recorder.counts.bytes, fileBytes: reader.fileByteCount))
    }
    return (recorder.statistics, recorder.counts)
  }
}

/// Builds ``OccurrenceStatistics`` from the events of decoded blocks. Not thread-safe.
struct OccurrenceRecorder: CountingConsumer {
  /// The statistics so far.
  private(set) var statistics = OccurrenceStatistics()
  /// The numbers of lines, events and rejections.
  var counts = InputCounts()

  /// An event type, and its matches with the flows as a number of the decoder.
  private struct Key: Hashable {
    var name: EventTypeName
    var matchListID: UInt32
  }

  /// The index of each event class.
  private var indices: [Key: Int] = [:]
  /// The matches, as a number of the decoder, of event classes whose matches are not set yet, by the index of the class.
  private var unnamed: [Int: UInt32] = [:]
  /// The index of each app version.
  private var indexOfVersion: [String: Int] = [:]

  mutating func refuse(_ reject: Rejection, _ text: borrowing RejectedText, at place: LineBlock.Place) {
    counts.rejected[reject.reason, default: 0] += 1
    statistics.firstRejection = statistics.firstRejection ?? reject
  }

  mutating func take(
    _ event: EventReference, line: Span<UInt8>, _ resolution: FlowMatcher.Resolution, facts: inout EventTypes.Facts, block: Int,
    with encoder: inout CanonicalEncoder
  ) {
    counts.events += 1
    if let user = event.fields.user {
      statistics.accounts.addRecord(subject: event.fields.subject.span, user: user.span)
    } else {
      statistics.accounts.addRecord()
    }
    // An event that only links two IDs is no step.
    guard !event.fields.isUserLink else { return }
    guard let eventClass = eventClass(of: event.fields, resolution) else {
      statistics.skippedEvents += 1
      return
    }
    statistics.eventCounts[eventClass] += 1
    // The hash selects the sample, so it must be the same in each run.
    var hasher = SipHasher()
    hasher.combine(event.fields.subject.span)
    let hash = hasher.finish()
    guard hash.high <= statistics.hashMax else { return }
    let version = appVersion(of: event.fields)
    let moment = OccurrenceStatistics.Moment(
      milliseconds: event.fields.timestamp.milliseconds, sequence: event.fields.sequence ?? 0, number: counts.events)
    statistics.subjectsByHash[hash, default: OccurrenceStatistics.Subject()].note(eventClass, at: moment, appVersion: version)
    if statistics.subjectsByHash.count > OccurrenceStatistics.subjectsMax { dropHalf() }
  }

  /// Sets the matches of the event classes that are new since the last call.
  ///
  /// - Parameter flowMatchLists: The matches by the number of the decoder.
  mutating func nameFlowMatches(_ flowMatchLists: [[EventClassTable.FlowMatch]]) {
    for (eventClass, matchListID) in unnamed {
      statistics.eventClasses[eventClass].flowMatches = flowMatchLists[Int(matchListID)]
    }
    unnamed.removeAll()
  }

  /// Returns the index of the event class of an event, adding the class if it is new, or `nil` if there are too many.
  private mutating func eventClass(of event: EventFields, _ resolution: FlowMatcher.Resolution) -> Int? {
    let key = Key(name: EventTypeName(event), matchListID: resolution.matchListID)
    if let index = indices[key] { return index }
    assert(statistics.eventClasses.count == statistics.eventCounts.count, "each class has a count")
    guard statistics.eventClasses.count < OccurrenceStatistics.eventClassesMax else { return nil }
    indices[key] = statistics.eventClasses.count
    unnamed[statistics.eventClasses.count] = resolution.matchListID
    statistics.eventClasses.append(
      OccurrenceStatistics.LoggedClass(name: key.name, flowMatches: [], isDeclared: resolution.isDeclared))
    statistics.eventCounts.append(0)
    return statistics.eventClasses.count - 1
  }

  /// Returns the index of an event's app version, or `nil` if it has none or there are too many.
  private mutating func appVersion(of event: EventFields) -> Int? {
    guard let value = event.contextValue("app_version"), case let text = value.propertyValue.description, !value.isNull else {
      return nil
    }
    if let index = indexOfVersion[text] { return index }
    guard statistics.appVersions.count < OccurrenceStatistics.appVersionsMax else { return nil }
    statistics.appVersions.append(text)
    indexOfVersion[text] = statistics.appVersions.count - 1
    return statistics.appVersions.count - 1
  }

  /// Drops the subjects with the higher half of the hashes.
  private mutating func dropHalf() {
    statistics.hashMax /= 2
    let highest = statistics.hashMax
    statistics.subjectsByHash = statistics.subjectsByHash.filter { $0.key.high <= highest }
    assert(statistics.isSample, "subjects were dropped")
  }
}

extension OccurrenceStatistics.Subject {
  /// Adds an event.
  ///
  /// - Parameters:
  ///   - eventClass: The index of the event class.
  ///   - moment: The time, the `seq` and the position of the event.
  ///   - appVersion: The index of the app version, or `nil` if the event has none.
  fileprivate mutating func note(_ eventClass: Int, at moment: OccurrenceStatistics.Moment, appVersion: Int?) {
    if moment.milliseconds < firstMilliseconds {
      firstMilliseconds = moment.milliseconds
      self.appVersion = appVersion
    }
    if let index = occurrences.firstIndex(where: { $0.eventClass == eventClass }) {
      occurrences[index].moment = min(occurrences[index].moment, moment)
      occurrences[index].count += 1
      occurrences[index].lastMilliseconds = max(occurrences[index].lastMilliseconds, moment.milliseconds)
    } else {
      occurrences.append(
        OccurrenceStatistics.Occurrence(eventClass: eventClass, moment: moment, lastMilliseconds: moment.milliseconds))
    }
  }
}
