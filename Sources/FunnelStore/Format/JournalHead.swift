import FunnelModel

/// The head of a store: the last commit that was made, as a file beside the journal says it. `log/journal.head`.
///
/// **Constraints.** A journal that lost whole lines at its end, or was emptied, or is an older copy of itself, is a sound journal in itself: its chain
/// can't know its own length. Readers would hand out fewer events and not know it, and the next writer would cut the parts that the lost
/// lines covered. So something outside of the journal has to know the last commit. It must never know one that is not on the disk, else
/// a crash would look like damage; and it should not cost another flush for each commit.
///
/// **Layout.** One line of exactly this form, filled up with spaces to 256 bytes, the last of which is a line feed (broken here to be
/// read):
///
///     {"v":1,"commit":3,"bytes":2033,"hash":"<the sha256 of the commit's line>",
///      "sha256":"<of this line's bytes before the comma in front of this key>"}
///
/// `bytes` is the length of the journal's lines up to that commit. Before the first commit it is of commit 0, with 64 zeros.
///
/// **Writing.** A new store gets its head, of commit 0, before its first part, and it is flushed. When a commit's line feed is
/// on the disk, the head is overwritten in place, by one write that nobody waits for. Whatever becomes of that, the
/// head is then of this commit, or of one before, or torn: never ahead of the journal. That such a write fails is no failure of the commit, which is
/// made, and to say otherwise would be wrong. The next writer reads the head when it opens the store, and where it is not
/// just what it should be, writes it once more; if that fails too, it says so and does nothing else.
/// A repair that puts another journal in the place of the old one replaces the head first, both by renaming: broken off in between, the
/// head speaks of a commit that is in neither journal, and the store waits for the repair to be run again, as before it.
///
/// **Reading.** The head is read before the journal: a commit that is made meanwhile makes the journal only longer. A journal that lacks the head's
/// commit, or has another in its place, is damaged. A head that is missing, torn, of an unknown version, or no plain file says nothing; a reader
/// goes without, a writer renews it. Only a journal without a commit beside parts is damaged then as well: no crash
/// leaves that, as the head of commit 0 was on the disk before them.
///
/// **Known downsides.** What the head did not reach the disk with before the power went is not missed until the next writer renews it. An older copy of both
/// files is not noticed, nor is that both are removed together with all parts. A copy that is made while a command writes may hold a newer
/// head than journal, as it may hold shorter parts than its journal says, and needs a repair then.
struct JournalHead: Hashable, Sendable {
  /// The path inside the store.
  static let path = "log/journal.head"
  /// The version this code writes and knows.
  static let version = 1
  /// Its length: less than a sector, so that a disk writes all of it or nothing.
  static let byteCount = 256

  /// The number of the last commit; 0 where there is none yet.
  var commit: Int
  /// The length of the journal's lines up to there.
  var bytes: Int
  /// The hash of its line.
  var hash: String

  /// The head of a journal.
  init(of journal: Journal) {
    commit = journal.commits.count
    bytes = journal.bytes
    hash = journal.lastHash
  }

  /// Reads a head; nil where it is not whole.
  init?(parsing contents: [UInt8]) {
    guard contents.count == Self.byteCount, contents.last == UInt8(ascii: "\n") else { return nil }
    let line = contents.prefix { $0 != UInt8(ascii: " ") }
    let padding = contents[line.endIndex...].dropLast()
    guard padding.allSatisfy({ $0 == UInt8(ascii: " ") }), let sealed = try? SealedLine.open(line) else { return nil }
    var scanner = LineScanner(sealed.body)
    guard scanner.skip("{\"v\":"), scanner.integer() == Self.version,
      scanner.skip(",\"commit\":"), let commit = scanner.integer(),
      scanner.skip(",\"bytes\":"), let bytes = scanner.integer(),
      scanner.skip(",\"hash\":\""), let hash = scanner.hash(), scanner.skip("\""), scanner.isAtEnd
    else { return nil }
    (self.commit, self.bytes, self.hash) = (commit, bytes, hash)
  }

  /// Its bytes.
  var contents: [UInt8] {
    var line: [UInt8] = []
    line.append(text: "{\"v\":\(Self.version),\"commit\":\(commit),\"bytes\":\(bytes),\"hash\":\"\(hash)\"")
    _ = SealedLine.seal(&line)
    // Two numbers of 18 digits leave room.
    precondition(line.count < Self.byteCount)
    line.append(contentsOf: repeatElement(UInt8(ascii: " "), count: Self.byteCount - line.count - 1))
    line.append(UInt8(ascii: "\n"))
    return line
  }
}
