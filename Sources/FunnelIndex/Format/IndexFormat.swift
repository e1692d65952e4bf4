internal import FunnelModel

/// The event index: the events of a store, grouped by subject, sorted, and stored as columns in the folder `index/`.
///
/// It is derived from the log. It may be deleted, damaged or replaced at any time without a change to any report.
///
/// **Constraints.** A report must read only the columns it needs, sequentially, on all cores. Flow definitions
/// may be added after the events, so the index contains only logged fields, never the event class that a flow
/// assigns to an event. The cost of an ingest depends on the number of its own events only.
///
/// **Sorted runs.** The file `run-<first commit>-<last commit>-<random>.fidx` holds the events of consecutive
/// commits and never changes. The `manifest` lists the valid runs and the last commit they cover. An ingest
/// keeps the runs of its commits in memory and writes many as one (``HeldRuns``). If the ingest is killed,
/// readers take the missing events from the log. Runs on the disk are merged when there are many
/// (``RunTiers``).
///
/// **Layout of a run** (little-endian, sections begin at multiples of 8):
///
///     partition 0: plain, attempts, context, props, sequences, keys, ids, names, measures, userNumbers,
///                  users, userNames
///     …
///     partition 63: …
///     types, context dictionary, props dictionary
///     directory: offsets and lengths of all sections, counts, a CRC-32 of each page of 16 KiB before it
///     trailer, 64 bytes: offset and length of the directory, its CRC-32, the trailer's own CRC-32
///
/// The top six bits of the subject's hash select the partition. In each partition, subjects are sorted by their
/// hash, and the events of a subject by time, seq, ID and name. The sections of a partition of n subjects and m
/// events:
///
/// - plain: for each subject the end of its events (31 bits) and whether its times are wide (the low bit), 4
///   bytes; its first time, 8 bytes; the type code of each event, 1, 2 or 4 bytes depending on the run; the
///   offset of each event's time from the first in milliseconds, 4 bytes, or 8 if the subject's times are wide.
///   A report without segments reads no other section.
/// - attempts, context, props, sequences: one column each (``SubjectColumnEncoder``): a bit for each subject, set if
///   the values of its events differ; then one value for a subject whose values are equal, one value for each
///   event otherwise. Empty if all values are 0.
/// - keys: the hash of each subject, 16 bytes. Read if there are several runs, and to find duplicates.
/// - ids: for each subject the end of its IDs and their packed form, 8 bytes; the IDs (``PackedID``).
/// - names: the subjects themselves, packed like IDs, one for each subject. Read only to list or name groups.
/// - measures: the numbers of the measured properties (see below), one column for each property
///   (``MeasureEncoder``). Read only by reports of all properties. Empty if no event of the partition has a
///   measured property.
/// - userNumbers: the number of each event's user among those of its subject, from 1, a column like attempts.
/// - users, userNames: the hashes and the texts of the users that the subjects' events name (``SubjectUsers``,
///   ``UserNames``). All three are empty if no event has a user.
///
/// **Measures.** The dictionary of `props` contains the values of a property if they are few. A duration or an
/// amount has nearly as many values as there are events. A numeric property with more than 4096 values is
/// therefore *measured*: its dictionary entry records only that the property is present
/// (``DictionaryEntry/value`` is `nil`), and the section `measures` has the number.
///
/// - A property is either measured in the whole run or not at all. An event has a measured property if and only
///   if its content has the entry of the property; its number is then the next one of the property's column.
///   The columns are in the order of the entries in the dictionary, and the numbers of a column in the order of
///   the events.
/// - Numbers are exact: 64-bit integers, or the bits of a double. A property that also has a string or a
///   boolean is not measured. If it has too many values, it is dropped, and a query that uses it reads the log.
/// - A recorder measures a property from the first event that exceeds the limit on. The contents recorded
///   before keep their numbers. The union of dictionaries, of recorders or of runs, measures a property if one
///   of them does, or if it has too many values in all of them together. The numbers of the contents then move
///   to the column, beside those already measured (``MeasureTable``).
/// - Merging only ever loses detail: a property of the dictionary may become measured, and either may be dropped.
///
/// **Checks.** The thread that first uses a byte of a page checks the page, once per process. All counts,
/// offsets and codes are checked against the lengths of their sections: a page whose CRC matches by chance, or
/// by malice, can't cause an out-of-bounds read.
///
/// **Writing.** A run is written under a temporary name and renamed, then the manifest is. Nothing is flushed:
/// the checksums detect damage from a power failure, and the index is then rebuilt from the log.
///
/// **Known downsides.** A subject is identified by a 128-bit hash, and its attempts by 64-bit hashes. A key of
/// `props` with more than 4096 values that are not all numbers is not indexed, nor is such a key of `ctx`: a
/// query that uses it reads the log. So does a query that compares the values of a measured property, or
/// segments by them.
enum IndexFormat {
  /// The version this code writes, and the only one it reads; an index of any other version is computed again.
  static let version: UInt32 = 4
  /// The first bytes of a trailer, `FUNNELIX`.
  static let magic: UInt64 = 0x5849_4C45_4E4E_5546
  /// The number of partitions of a run.
  static let partitionCount = 64
  /// The right shift that leaves the partition number, the top six bits of the high word of a subject's hash.
  static let partitionShift: UInt64 = 58
  /// The number of bytes that share one checksum.
  static let pageBytes = 16 << 10
  /// The length of the trailer.
  static let trailerBytes = 64
  /// The length of a subject's hash in the section `keys`.
  static let keyBytes = 16
  /// The multiple of bytes at which a section begins.
  static let alignment = 8

  /// The sections of a partition.
  enum Section: Int, CaseIterable {
    case plain, attempts, context, props, sequences, keys, ids, names, measures, userNumbers, users, userNames
  }

  /// The dictionaries after the partitions.
  enum Dictionary: Int, CaseIterable {
    case types, context, props
  }

  /// The byte range of a section in a run.
  struct ByteRange {
    var offset: Int
    var count: Int

    /// Returns whether the range is within the first `end` bytes and aligned like a section.
    func isInside(_ end: Int) -> Bool {
      offset >= 0 && count >= 0 && offset % IndexFormat.alignment == 0 && offset <= end && count <= end - offset
    }

    /// The range, or `nil` unless it is within the first `end` bytes and aligned like a section.
    func inside(_ end: Int) -> Range<Int>? { isInside(end) ? offset..<offset + count : nil }

    /// The length of an encoded range in the directory: two 64-bit numbers.
    static let encodedBytes = 16
  }

  /// The length of a partition's entry in the directory: two 32-bit counts, then the byte ranges of its sections.
  static let partitionEntryBytes = 8 + Section.allCases.count * ByteRange.encodedBytes

  /// Returns a byte count rounded up to a multiple of ``alignment``.
  @inline(__always)
  static func aligned(_ byteCount: Int) -> Int { (byteCount + alignment - 1) / alignment * alignment }
}

/// The limits on the size of the index and its dictionaries. They bound memory use for any number of distinct
/// values in the log.
///
/// Values beyond a limit are not indexed. The sorted run records this, and a query that uses such values reads the log.
enum IndexLimits {
  /// The largest number of values of one key of `ctx` or `props`.
  static let valuesOfKeyMax = Limits.indexValuesOfKeyMax
  /// The largest number of measured properties of one dictionary. Further properties with too many values are dropped.
  static let measuresMax = Limits.indexMeasuresMax
  /// The largest number of keys of `ctx`, and of `props`.
  static let keysMax = Limits.indexKeysMax
  /// The number of distinct contents of `ctx`, or of `props`, above which the keys with the most values are retired
  /// (``DimensionRecorder``).
  static let contentsMax = Limits.indexContentsMax
  /// The total size of these contents in bytes above which the same happens.
  static let contentBytesMax = Limits.indexContentBytesMax
  /// The largest number of event types; a log with more has no index.
  static let typesMax = Limits.indexTypesMax
  /// The number of bytes of recorded rows at which they are written as a sorted run while the log is indexed.
  static let batchBytesTarget = 96 << 20
  /// The largest number of events of one sorted run: a partition counts its events in 31 bits.
  static let eventsOfRunMax = Limits.indexRunEventsMax
  /// The largest number of event classes of one event type, or of segments, that are computed before a report begins.
  static let combinationsMax = Limits.combinationsMax

  /// Returns the next smaller limit on the values of one key. The limits are 4096, 256, 16, 1 and 0.
  static func tightened(_ valuesMax: UInt32) -> UInt32 { valuesMax / tighteningDivisor }

  private static let tighteningDivisor: UInt32 = 16  // reaches 0 from 4096 in four steps
}
