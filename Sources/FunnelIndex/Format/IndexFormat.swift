/// The journey index: a store's events by subject, in order, as columns. Derived from the log, in the store's folder `index/`.
///
/// **Constraints.** A report must touch only the columns it asks for, one after another, on all cores. Flow definitions may come after the
/// events, so what an event means is not in the index, only what was logged. It may be deleted, damaged or swapped at any time, and no
/// answer may change by that. A second ingest costs what its own events cost.
///
/// **Runs.** `run-<first commit>-<last commit>-<random>.fidx` holds the events of commits next to each other, and never changes. The
/// `manifest` names the runs that count and the commit they reach to. An ingest holds the runs of its commits in memory and writes many as one
/// (``HeldRuns``); if it is killed, what the index lacks is read from the log. Runs on the disk are merged when there are many (``RunTiers``).
///
/// **Layout of a run** (little-endian, sections begin at multiples of 8):
///
///     partition 0: plain, attempts, context, props, sequences, keys, ids
///     …
///     partition 63: …
///     types, context dictionary, props dictionary
///     directory: places of all sections, counts, a CRC-32 of each page of 16 KiB before it
///     trailer, 64 bytes: where the directory is, its CRC-32, its own CRC-32
///
/// Partitions are cut by the top six bits of the subject's hash. In each, subjects are sorted by their hash, and a subject's events by
/// time, seq, id and name. Sections of a partition of n subjects and m events:
///
/// - plain: for each subject where its events end (31 bits) and whether its times are wide (the low bit), 4 bytes; its first time,
///   8 bytes; the type of each event, 1, 2 or 4 bytes as the run needs; each event's time after the first in milliseconds, 4 bytes, or 8 for the
///   events of a subject with wide times. A report without segments reads nothing else.
/// - attempts, context, props, sequences: one column each (``ColumnEncoder``): a bit for each subject, whether its events differ in it, and
///   one value for those that do not and one for each event of those that do. Empty where all values are 0.
/// - keys: the hash of each subject, 16 bytes. Read where there are several runs, and for duplicates.
/// - ids: for each subject where its ids end and how they are packed, 8 bytes; the ids (``PackedID``).
///
/// **Checks.** A page is checked before the first byte of it is used, by the thread that uses it, once in the life of the process. All
/// counts, offsets and codes are held against the lengths of their sections: a page whose CRC fits by chance, or by malice, can't make a
/// reader read elsewhere.
///
/// **Writing.** A run is written under a temporary name and renamed, then the manifest is. Nothing is flushed: what the power took is
/// noticed by its checksum and computed again.
///
/// **Known downsides.** Hashes of 128 bits stand for subjects, and of 64 bits for a subject's attempts. A key with more than 4096 values is
/// not in the index: a query that names it reads the log.
enum IndexFormat {
  /// The version this code writes, and the only one it reads: any other is computed again.
  static let version: UInt32 = 1
  /// The folder inside the store.
  static let folder = "index"
  /// The first bytes of a trailer, `FUNNELIX`.
  static let magic: UInt64 = 0x5849_4C45_4E4E_5546
  static let partitionCount = 64
  /// A subject's partition are the bits of its hash above these.
  static let partitionShift: UInt64 = 58
  static let pageBytes = 16 << 10
  static let trailerBytes = 64

  /// The parts of a partition.
  enum Section: Int, CaseIterable {
    case plain, attempts, context, props, sequences, keys, ids
  }

  /// The dictionaries behind the partitions.
  enum Dictionary: Int, CaseIterable {
    case types, context, props
  }

  /// Where something stands in a run, in bytes.
  struct Place {
    var offset: Int
    var count: Int

    static let bytes = 16
  }

  /// Bytes of a partition's entry in the directory: two counts, and the places of its sections.
  static let partitionEntryBytes = 8 + Section.allCases.count * Place.bytes

  /// Bytes one code takes where there are so many.
  static func width(forCodes count: Int) -> Int { count <= 1 << 8 ? 1 : count <= 1 << 16 ? 2 : 4 }
}
