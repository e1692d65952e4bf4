import FunnelModel

/// The journal: the one file that says what of a store counts. `log/journal.ndjson`.
///
/// **Constraints.** A commit touches many files and must be seen whole or not at all, by readers that take no lock, after a crash at any
/// point; what was reported as committed must outlast the power going; damage must be told from a crash, also where whole lines are gone.
///
/// **Layout.** One line a commit, ended by a line feed, of exactly this form (no spaces, keys in this order; broken here to be read):
///
///     {"v":1,"commit":3,"kind":"ingest","at":"2026-11-20T10:15:30.123Z","events":5,"rejected":1,
///      "first_ts":"2026-11-20T08:00:00.000Z","last_ts":"2026-11-20T09:30:00.000Z",
///      "appended":[{"path":"log/dt=2026-11-20/part-00000.ndjson.gz","offset":0,"bytes":456,"raw_bytes":1234,"events":5,
///                   "sha256":"<of these bytes of the file>"}],
///      "removed":["rejected/dt=2026-11-19/part-00000.ndjson.gz"],
///      "prev":"<the line before's sha256>","sha256":"<of this line's bytes before the comma in front of this key>"}
///
/// `v` is the version of the format and stands first, so that a reader of any version can refuse what it does not know. `first_ts` and
/// `last_ts` are null where there are no events. In an extent of dead letters `events` counts those. `prev` of the first line is
/// 64 zeros. An extent begins where the part's last one ended; a removed part is gone with all its extents.
///
/// **Writing.** The parts are appended to and fsynced, then the folders of new parts; then the line without its line feed is appended and
/// fsynced; then the line feed is, and fsynced. So the line feed is the commit: where it stands, the line and all it speaks of are on the
/// disk. Then the head is written, which knows the last commit (``JournalHead``), and only after that are removed parts unlinked.
///
/// **Recovery.** What follows the last line feed is the rest of a commit that was never made: it is ignored by readers and cut by the next
/// writer, and so is whatever the lines do not cover in the folders of parts: tails of parts, parts, and parts removed but not yet
/// unlinked. A line that is wrong although its line feed stands is damage, and nothing is cut then (``StoreRepair`` mends it). So is a
/// journal that ends before the head's commit, or has another in its place: lines were taken off its end, or it is an older
/// copy, or another store's. And so is one without a commit beside parts, unless the head says that there was none yet: then
/// they are what the first commit left that was broken off.
///
/// **Known downsides.** The chain can't know its own length: where the head is lost as well, or as old as the journal, what is gone off the end is not
/// missed, and the parts it covered are cut by the next writer. Each commit costs two fsyncs beside those of its parts. The journal
/// is read whole at each start, so its length grows with the number of commits times days.
struct Journal: Sendable {
  /// The version this code writes, and the newest it reads.
  static let version = 1
  /// The path inside the store.
  static let path = "log/journal.ndjson"
  /// What the first line's `prev` says.
  static let firstPreviousHash = String(repeating: "0", count: 64)

  /// The commits, oldest first.
  private(set) var commits: [Commit] = []
  /// What they cover.
  private(set) var coverage = Coverage()
  /// Length of the lines up to here, in bytes.
  private(set) var bytes = 0
  /// What is wrong behind them; nil where they are all there is, but for a torn last line.
  private(set) var damage: JournalDamage?

  /// A journal without a line.
  init() {}

  /// Reads a journal, up to its end or the first line that is damaged.
  ///
  /// - Throws: `configuration` where a line is of a newer version.
  init(parsing contents: [UInt8], path: String) throws(FunnelError) {
    var rest = contents[...]
    while let lineFeed = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = contents[rest.startIndex..<lineFeed]
      if let version = JournalLine.version(of: line), version > Self.version {
        throw FunnelError(
          .configuration,
          "the store's journal \(path) is of version \(version), this funnel knows versions up to \(Self.version), use a newer funnel"
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

  /// A whole line behind which another byte stands than a line feed is damage: a commit that was broken off leaves nothing there, or a
  /// zero where the byte's room was on the disk before the byte.
  private mutating func noteLostLineFeed(in rest: ArraySlice<UInt8>) {
    guard let last = rest.last, last != 0, let commit = try? JournalLine.parse(rest.dropLast()),
      commit.previousHash == lastHash
    else { return }
    damage = JournalDamage(line: commits.count + 1, offset: bytes, reason: "it is whole and does not end in a line feed")
  }

  /// Takes in a commit whose line is `bytes` long with its line feed.
  mutating func append(_ commit: Commit, bytes count: Int) throws(JournalLine.Mistake) {
    guard commit.previousHash == lastHash else { throw JournalLine.Mistake(reason: "it does not follow the line before") }
    guard commit.number == commits.count + 1 else { throw JournalLine.Mistake(reason: "its number is not the next one") }
    try coverage.apply(commit)
    commits.append(commit)
    bytes += count
  }

  /// Notes what is wrong with a journal whose lines are all sound.
  mutating func note(_ damage: JournalDamage) { self.damage = damage }

  /// The lines in front of the damage, as a journal of their own.
  var withoutDamage: Journal {
    var journal = self
    journal.damage = nil
    return journal
  }

  /// The hash the next line names as the one before it.
  var lastHash: String { commits.last?.hash ?? Self.firstPreviousHash }
}

/// A line of the journal that is not what was written, or a journal that lacks what was committed.
struct JournalDamage: Hashable, Sendable {
  /// Counts from 1; nil where every line is sound and it is the journal that is not what it should be.
  var line: Int?
  /// Where the damage begins, in bytes.
  var offset: Int
  /// What is wrong, as a clause about the line or about the journal: "its hash does not match".
  var reason: String

  /// What is wrong, as a clause about the journal.
  var description: String { line.map { "line \($0) is damaged: \(reason)" } ?? reason }
}
