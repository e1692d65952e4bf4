import FunnelModel

/// The journal: the file that decides which bytes of a store count. `log/journal.ndjson`.
///
/// **Constraints.** A commit changes many files and must be visible as a whole or not at all, to readers that take no lock, after a crash
/// at any point. A commit that was reported as made must survive a power failure. Damage must be distinguishable from a crash, even if
/// whole lines are missing.
///
/// **Layout.** One line per commit, ended by a line feed, of exactly this form (no spaces, keys in this order; broken into several lines
/// here for reading):
///
///     {"v":1,"commit":3,"kind":"ingest","at":"2026-11-20T10:15:30.123Z","events":5,"rejected":1,
///      "first_ts":"2026-11-20T08:00:00.000Z","last_ts":"2026-11-20T09:30:00.000Z",
///      "appended":[{"path":"log/dt=2026-11-20/part-00000.ndjson.gz","offset":0,"bytes":456,"raw_bytes":1234,"events":5,
///                   "sha256":"<of these bytes of the file>"}],
///      "removed":["rejected/dt=2026-11-19/part-00000.ndjson.gz"],
///      "prev":"<the sha256 of the previous line>","sha256":"<of this line's bytes before the comma that precedes this key>"}
///
/// A line of version 2 has `"continues":1` behind its kind if its ingest began with commit 1, or `"origins":[[3,5],[4,7]]` behind the events
/// of an extent: of these lines commit 3 brought five, and then commit 4 seven; they were rewritten since. Lines that need neither are of
/// version 1.
///
/// `v` is the version of the format. It is the first key, so that a reader of any version can refuse a version it does not know. `first_ts`
/// and `last_ts` are null if there are no events. In an extent of dead letters `events` counts the dead letters. `prev` of the first line
/// is 64 zeros. An extent begins at the end of the part's previous one; removing a part removes all its extents.
///
/// **Writing.** The parts are appended to and fsynced, then the folders of new parts are fsynced; then the line without its line feed is
/// appended and fsynced; then the line feed is appended and fsynced. The line feed is therefore the commit: if it is present, the line and
/// everything the line refers to are durable. Then the head, which records the last commit, is written (``JournalHead``), and only after
/// that are removed parts unlinked.
///
/// **Recovery.** Bytes after the last line feed belong to a commit that was never made: readers ignore them and the next writer cuts them.
/// The same holds for everything in the folders of parts that the lines do not cover: tails of parts, parts, and parts removed but not yet
/// unlinked. A line that is wrong although it ends in its line feed is damage, and nothing is cut then (``StoreRepair`` repairs it). A
/// journal that ends before the head's commit, or has another commit in its place, is damaged too: lines were removed from its end, or it
/// is an older copy, or it belongs to another store. So is a journal without a commit beside parts, unless the head records that there was
/// no commit yet: then the parts are remains of an interrupted first commit.
///
/// **Known downsides.** The chain does not contain its own length: if the head is lost as well, or is as old as the journal, lines removed
/// from the end are not noticed, and the parts they covered are cut by the next writer. Each commit costs two fsyncs in addition to those
/// of its parts. The whole journal is read at each start, so the time to start grows with the number of commits times days.
struct Journal: Sendable {
  /// The version this code writes, which is also the newest it reads.
  static let version = 2
  /// The version of lines that need no newer one, which is all but those with `continues` or `origins`.
  static let firstVersion = 1
  /// The path inside the store.
  static let path = "log/journal.ndjson"
  /// The value of `prev` in the first line.
  static let firstPreviousHash = String(repeating: "0", count: 64)

  /// The commits, oldest first.
  private(set) var commits: [Commit] = []
  /// The bytes of the store that the commits cover.
  private(set) var coverage = Coverage()
  /// The length of the lines up to here, in bytes.
  private(set) var bytes = 0
  /// The damage after the commits that were read, or nil if the rest is at most a torn last line.
  private(set) var damage: JournalDamage?

  /// Creates a journal without lines.
  init() {}

  /// Parses a journal up to its end or its first damaged line.
  ///
  /// - Throws: `configuration` if a line is of a newer version.
  init(parsing contents: [UInt8], path: String) throws(FunnelError) {
    var rest = contents[...]
    while let lineFeed = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = contents[rest.startIndex..<lineFeed]
      if let version = JournalLine.version(of: line), version > Self.version {
        throw FunnelError(
          .configuration,
          "the store's journal \(path) is of version \(version), this funnel reads versions up to \(Self.version), use a newer funnel"
        )
      }
      do throws(JournalLine.Mistake) {
        try append(JournalLine.parse(line), bytes: line.count + 1)
      } catch {
        damage = JournalDamage(line: commits.count + 1, offset: bytes, reason: error.reason)
        return
      }
      rest = contents[(lineFeed + 1)...]
    }
    noteLostLineFeed(in: rest)
  }

  /// Notes damage if a complete line is followed by a byte other than a line feed. An interrupted commit leaves nothing there, or a zero if
  /// the file's new length reached the disk before the byte did.
  private mutating func noteLostLineFeed(in rest: ArraySlice<UInt8>) {
    guard let last = rest.last, last != 0, let commit = try? JournalLine.parse(rest.dropLast()),
      commit.previousHash == lastHash
    else { return }
    damage = JournalDamage(line: commits.count + 1, offset: bytes, reason: "it is complete but does not end in a line feed")
  }

  /// Appends a commit whose line is `bytes` long, including its line feed.
  mutating func append(_ commit: Commit, bytes count: Int) throws(JournalLine.Mistake) {
    precondition(count > 0, "a line has at least its line feed")
    guard commit.previousHash == lastHash else { throw JournalLine.Mistake(reason: "it does not follow the line before") }
    guard commit.number == commits.count + 1 else { throw JournalLine.Mistake(reason: "its number is not the next one") }
    try coverage.apply(commit)
    commits.append(commit)
    bytes += count
  }

  /// Notes damage of a journal whose lines are all sound.
  mutating func note(_ damage: JournalDamage) { self.damage = damage }

  /// The journal of the lines before the damage.
  var withoutDamage: Journal {
    var journal = self
    journal.damage = nil
    return journal
  }

  /// The hash that the next line names as its predecessor's.
  var lastHash: String { commits.last?.hash ?? Self.firstPreviousHash }
}

/// A damaged line of the journal, or a journal that lacks commits that were made.
struct JournalDamage: Hashable, Sendable {
  /// The number of the line, counted from 1, or nil if every line is sound and the journal as a whole is wrong.
  var line: Int?
  /// The offset at which the damage begins, in bytes.
  var offset: Int
  /// The problem, as a clause about the line or about the journal: "its hash does not match".
  var reason: String

  /// The problem, as a clause about the journal.
  var description: String { line.map { "line \($0) is damaged: \(reason)" } ?? reason }
}
