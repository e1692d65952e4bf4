import FunnelImport
public import FunnelModel

/// When each subject first logged each event: what a flow definition can be drafted from, or checked against.
///
/// At most ``subjectsMax`` subjects are kept. Where there are more, those whose hashes are lowest are: the same ones whatever the order of
/// the events, and as good as drawn at random.
public struct OccurrenceStatistics: Sendable {
  /// An event as a flow definition names it, with what the flows of a catalog read it as.
  public struct Kind: Hashable, Sendable {
    public var name: EventTypeName
    /// What the flows of the catalog take the event for.
    public var claims: [EventClassTable.Claim]
    /// Whether a flow of the catalog declares it.
    public var isClaimed: Bool
  }

  /// The first time that a subject logged an event.
  public struct Occurrence: Hashable, Sendable {
    /// The index of the event in ``OccurrenceStatistics/kinds``.
    public var kind: Int
    public var milliseconds: Int64
  }

  /// The events of one subject.
  public struct Subject: Hashable, Sendable {
    /// The first occurrences, in no particular order.
    public fileprivate(set) var occurrences: [Occurrence] = []
    /// The build with which the subject's first event was logged, as an index into ``OccurrenceStatistics/appVersions``; nil if it names none.
    public fileprivate(set) var appVersion: Int?
    fileprivate var firstMilliseconds = Int64.max
  }

  /// The number of subjects that are kept.
  public static let subjectsMax = 200_000

  public fileprivate(set) var kinds: [Kind] = []
  /// The number of events of each kind.
  public fileprivate(set) var eventCounts: [Int] = []
  public fileprivate(set) var appVersions: [String] = []
  /// The subjects that are kept.
  public var subjects: [Subject] { Array(subjectsByHash.values) }
  fileprivate var subjectsByHash: [Hash128: Subject] = [:]
  /// Subjects with higher hashes are not kept.
  fileprivate var hashMax = UInt64.max

  /// The number of different events beyond which further ones are not looked at.
  fileprivate static let kindsMax = 4096
  /// The number of different builds beyond which further ones count as none.
  fileprivate static let appVersionsMax = 1024

  /// Whether there were more subjects than are kept.
  public var isSample: Bool { hashMax < .max }

  /// Reads files.
  ///
  /// - Throws: `noInput` or `inputOutput` if a file can't be read.
  public static func ofFiles(
    _ files: [InputFile], options: DecodingOptions, catalog: FlowCatalog, progress: (InputProgress) -> Void
  ) throws(FunnelError) -> (statistics: OccurrenceStatistics, counts: InputCounts) {
    var decoder = BlockDecoder(options: options, catalog: catalog)
    var recorder = OccurrenceRecorder()
    let pool = BlockPool(blockBytesTarget: Limits.memberRawBytesTarget)
    var reader = InputReader(files: files, imports: options.imports, pool: pool)
    while let block = try reader.next() {
      decoder.decode(block, into: &recorder)
      recorder.nameMeanings(decoder.meanings)
      pool.give(block)
      progress(
        InputProgress(events: recorder.counts.events, bytes: recorder.counts.bytes, fileBytes: reader.fileByteCount))
    }
    return (recorder.statistics, recorder.counts)
  }
}

/// Records the first occurrences of the events of blocks.
struct OccurrenceRecorder: EventConsumer {
  private(set) var statistics = OccurrenceStatistics()
  var counts = InputCounts()

  /// An event's type and what it means to the flows, as a number of the decoder.
  private struct Key: Hashable {
    var name: EventTypeName
    var meaning: UInt32
  }

  private var numbers: [Key: Int] = [:]
  /// The meanings of kinds that have no claims yet, by the number of the kind.
  private var unnamed: [Int: UInt32] = [:]
  private var numberOfVersion: [String: Int] = [:]

  mutating func countLine() { counts.lines += 1 }

  mutating func countForgotten() { counts.rejected[.forgotten, default: 0] += 1 }

  mutating func add(_ aggregate: ImportCounts) { counts.imports.add(aggregate) }

  mutating func refuse(_ reject: Rejection, _ text: RejectedText, at place: LineBlock.Place) {
    counts.rejected[reject.reason, default: 0] += 1
  }

  mutating func take(
    _ event: UnsafePointer<EventFields>, line: UnsafeRawBufferPointer, _ resolution: FlowResolver.Resolution,
    facts: UnsafeMutablePointer<EventTypes.Facts>, block: Int, with encoder: inout CanonicalEncoder
  ) {
    counts.events += 1
    guard let kind = kind(of: event.pointee, resolution) else { return }
    statistics.eventCounts[kind] += 1
    var hasher = SipHasher()
    hasher.combine(event.pointee.subject)
    let hash = hasher.finish()
    guard hash.high <= statistics.hashMax else { return }
    let version = appVersion(of: event.pointee)
    let milliseconds = event.pointee.timestamp.milliseconds
    statistics.subjectsByHash[hash, default: OccurrenceStatistics.Subject()].note(kind, at: milliseconds, appVersion: version)
    if statistics.subjectsByHash.count > OccurrenceStatistics.subjectsMax { dropHalf() }
  }

  /// Adds the claims of the kinds that were met since the last call.
  mutating func nameMeanings(_ meanings: [[EventClassTable.Claim]]) {
    for (kind, meaning) in unnamed { statistics.kinds[kind].claims = meanings[Int(meaning)] }
    unnamed.removeAll()
  }

  private mutating func kind(of event: EventFields, _ resolution: FlowResolver.Resolution) -> Int? {
    let key = Key(name: EventTypeName(event), meaning: resolution.meaning)
    if let number = numbers[key] { return number }
    guard statistics.kinds.count < OccurrenceStatistics.kindsMax else { return nil }
    numbers[key] = statistics.kinds.count
    unnamed[statistics.kinds.count] = resolution.meaning
    statistics.kinds.append(OccurrenceStatistics.Kind(name: key.name, claims: [], isClaimed: resolution.isClaimed))
    statistics.eventCounts.append(0)
    return statistics.kinds.count - 1
  }

  private mutating func appVersion(of event: EventFields) -> Int? {
    guard let value = event.contextValue("app_version"), case let text = value.propertyValue.description, !value.isNull else {
      return nil
    }
    if let number = numberOfVersion[text] { return number }
    guard statistics.appVersions.count < OccurrenceStatistics.appVersionsMax else { return nil }
    statistics.appVersions.append(text)
    numberOfVersion[text] = statistics.appVersions.count - 1
    return statistics.appVersions.count - 1
  }

  private mutating func dropHalf() {
    statistics.hashMax /= 2
    let highest = statistics.hashMax
    statistics.subjectsByHash = statistics.subjectsByHash.filter { $0.key.high <= highest }
  }
}

extension OccurrenceStatistics.Subject {
  /// Notes an event.
  fileprivate mutating func note(_ kind: Int, at milliseconds: Int64, appVersion: Int?) {
    if milliseconds < firstMilliseconds {
      firstMilliseconds = milliseconds
      self.appVersion = appVersion
    }
    if let index = occurrences.firstIndex(where: { $0.kind == kind }) {
      occurrences[index].milliseconds = min(occurrences[index].milliseconds, milliseconds)
    } else {
      occurrences.append(OccurrenceStatistics.Occurrence(kind: kind, milliseconds: milliseconds))
    }
  }
}
