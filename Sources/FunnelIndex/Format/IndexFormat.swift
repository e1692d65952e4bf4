/// The journey index: a store's events by subject, in order, as columns. It is derived from the log and stored in the folder `index/`.
///
/// **Constraints.** A report must touch only the columns it needs, sequentially, on all cores. Flow definitions may be added after the
/// events, so the index contains only what was logged, not what an event means. It may be deleted, damaged or replaced at any time
/// without changing any answer. The cost of a further ingest depends on its own events only.
///
/// **Runs.** `run-<first commit>-<last commit>-<random>.fidx` holds the events of consecutive commits and never changes. The
/// `manifest` lists the valid runs and the last commit they cover. An ingest keeps the runs of its commits in memory and writes many as one
/// (``HeldRuns``); if it is killed, the events missing from the index are read from the log. Runs on the disk are merged when there are
/// many (``RunTiers``).
///
/// **Layout of a run** (little-endian, sections begin at multiples of 8):
///
///     partition 0: plain, attempts, context, props, sequences, keys, ids, names, measures
///     …
///     partition 63: …
///     types, context dictionary, props dictionary
///     directory: offsets and lengths of all sections, counts, a CRC-32 of each page of 16 KiB before it
///     trailer, 64 bytes: offset and length of the directory, its CRC-32, the trailer's own CRC-32
///
/// The top six bits of the subject's hash select the partition. In each, subjects are sorted by their hash, and a subject's events by
/// time, seq, id and name. Sections of a partition of n subjects and m events:
///
/// - plain: for each subject the end of its events (31 bits) and whether its times are wide (the low bit), 4 bytes; its first time,
///   8 bytes; the type of each event, 1, 2 or 4 bytes depending on the run; each event's time after the first in milliseconds, 4 bytes, or
///   8 for the events of a subject with wide times. A report without segments reads nothing else.
/// - attempts, context, props, sequences: one column each (``ColumnEncoder``): a bit for each subject, set if the values of its events
///   differ, then one value for a subject whose values are equal, and one value for each event otherwise. Empty if all values are 0.
/// - keys: the hash of each subject, 16 bytes. Read if there are several runs, and to find duplicates.
/// - ids: for each subject the end of its ids and their packed form, 8 bytes; the ids (``PackedID``).
/// - names: the subjects themselves, in the form of ids, one for each subject. Read only where groups are listed or named.
/// - measures: the numbers of the measured properties (see below), one column for each of them (``MeasureEncoder``). Read only by reports
///   of all properties. Empty if no event of the partition has one.
///
/// **Measures.** The dictionary of `props` contains the values of a property as long as they are few. A duration or an amount has nearly as
/// many values as there are events. A property of numbers with more than 4096 values is therefore *measured*: in the dictionary's contents
/// its cell says only that the property is there (``DimensionCell/value`` is nil), and the number itself is in the section `measures`.
///
/// - A property is either measured in the whole run or not at all, so the place of a value is never in doubt: an event has a measured
///   property if and only if its content has the property's cell, and then its number is the next one of that property's column. The
///   columns are in the order of the cells in the dictionary, and the numbers of a column in the order of the events.
/// - Numbers are exact: integers of 64 bits, or the bits of a double. A property that also has a string or a boolean is not measured. If it
///   has too many values, it is dropped, and a query about it reads the log.
/// - A recorder measures a property from the event on that has one value too many; the contents recorded before keep the numbers. The
///   union of dictionaries, of recorders or of runs, measures a property if one of them does, or if it has too many values in all of them
///   together. The numbers of the contents then go to the column, with those that were measured before (``MeasureTable``).
/// - Runs only ever lose detail by merging: a property of the dictionary may become measured, and either may be dropped.
///
/// **Checks.** A page is checked before the first byte of it is used, by the thread that uses it, once per process. All counts, offsets
/// and codes are checked against the lengths of their sections: a page whose CRC matches by chance, or by malice, can't make a reader
/// read out of bounds.
///
/// **Writing.** A run is written under a temporary name and renamed, then the manifest is. Nothing is flushed: damage from a power failure
/// is detected by the checksums, and the index is computed again.
///
/// **Known downsides.** Subjects are identified by hashes of 128 bits, and a subject's attempts by hashes of 64 bits. A key with more than
/// 4096 values that are not all numbers is not indexed, nor is one of `ctx`: a query that uses it reads the log. So does a query that
/// compares the values of a measured property, or makes segments of them.
enum IndexFormat {
  /// The version this code writes, and the only one it reads; an index of any other version is computed again.
  static let version: UInt32 = 3
  /// The first bytes of a trailer, `FUNNELIX`.
  static let magic: UInt64 = 0x5849_4C45_4E4E_5546
  static let partitionCount = 64
  /// The shift that leaves the partition number, the top six bits of the high word of a subject's hash.
  static let partitionShift: UInt64 = 58
  static let pageBytes = 16 << 10
  static let trailerBytes = 64

  /// The sections of a partition.
  enum Section: Int, CaseIterable {
    case plain, attempts, context, props, sequences, keys, ids, names, measures
  }

  /// The dictionaries after the partitions.
  enum Dictionary: Int, CaseIterable {
    case types, context, props
  }

  /// A range of bytes in a run.
  struct Place {
    var offset: Int
    var count: Int

    static let bytes = 16
  }

  /// The number of bytes of a partition's entry in the directory: two counts, and the places of its sections.
  static let partitionEntryBytes = 8 + Section.allCases.count * Place.bytes

  /// Returns the number of bytes of one code if there are `count` codes.
  static func width(forCodes count: Int) -> Int { count <= 1 << 8 ? 1 : count <= 1 << 16 ? 2 : 4 }
}
