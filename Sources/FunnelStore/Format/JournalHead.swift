import FunnelModel

/// The head of a store: a record of the last commit, in a file beside the journal. `log/journal.head`.
///
/// **Constraints.** A journal that lost whole lines at its end, or was emptied, or is an older copy of itself, is consistent in itself,
/// because its chain does not contain its own length. Readers would return fewer events without noticing, and the next writer would cut the
/// parts that the lost lines covered. So something outside the journal has to record the last commit. It must never record a commit that is
/// not durable, or a crash would look like damage, and it should not cost another flush per commit.
///
/// **Layout.** One line of exactly this form, padded with spaces to 256 bytes, the last of which is a line feed (broken into several lines
/// here for reading):
///
///     {"v":1,"commit":3,"bytes":2033,"hash":"<the sha256 of the commit's line>",
///      "sha256":"<of this line's bytes before the comma that precedes this key>"}
///
/// `bytes` is the length of the journal's lines up to that commit. Before the first commit the head is that of commit 0, with 64 zeros as
/// its hash.
///
/// **Writing.** A new store gets the head of commit 0, and that is flushed before the store's first part is written. Once a commit's line
/// feed is durable, the head is overwritten in place by one write that is not waited for. Whatever happens to that write, the head is then
/// that of this commit, or of an earlier one, or torn: never ahead of the journal. A failure of this write is not reported, because the
/// commit has been made. The next writer compares the head with the journal when it opens the store and writes it again if they differ; if
/// that fails too, opening the store fails. A repair that replaces the journal replaces the head first, both by renaming: if it is
/// interrupted in between, the head names a commit that is in neither journal, and the store stays damaged until the repair is run again.
///
/// **Reading.** The head is read before the journal, because a commit made in the meantime only makes the journal longer. A journal that
/// lacks the head's commit, or has another in its place, is damaged. A head that is missing, torn, or of an unknown version carries no
/// information: a reader does without it, a writer renews it. A head that can't be opened or read is ignored by a reader and an error for a
/// writer. Without a head only a journal without a commit beside parts is damaged as well: no crash leaves that state, as the head of
/// commit 0 was durable before the parts.
///
/// **Known downsides.** If the head's last write did not reach the disk before a power failure, the loss of later commits goes unnoticed
/// until the next writer renews the head. An older copy of both files is not noticed, nor is the removal of both together with all parts. A
/// copy made while a command writes may hold a head that is newer than its journal, just as its parts may be shorter than its journal
/// requires; such a copy needs a repair.
struct JournalHead: Hashable, Sendable {
  /// The path inside the store.
  static let path = "log/journal.head"
  /// The version this code writes, and the only one it reads.
  static let version = 1
  /// The length of the head: less than a sector, so that a disk writes all of it or nothing.
  static let byteCount = 256

  /// The number of the last commit, or 0 if there is none yet.
  var commit: Int
  /// The length of the journal's lines up to that commit, in bytes.
  var bytes: Int
  /// The hash of that commit's line.
  var hash: String

  /// Creates the head of a journal.
  init(of journal: Journal) {
    commit = journal.commits.count
    bytes = journal.bytes
    hash = journal.lastHash
  }

  /// Parses a head. Returns nil if it is not complete and intact.
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
    self.commit = commit
    self.bytes = bytes
    self.hash = hash
  }

  /// The head in its encoded form.
  var contents: [UInt8] {
    var line: [UInt8] = []
    line.append(text: "{\"v\":\(Self.version),\"commit\":\(commit),\"bytes\":\(bytes),\"hash\":\"\(hash)\"")
    _ = SealedLine.seal(&line)
    // There is room for two numbers of 18 digits each.
    precondition(line.count < Self.byteCount, "a head fits into its fixed length")
    line.append(contentsOf: repeatElement(UInt8(ascii: " "), count: Self.byteCount - line.count - 1))
    line.append(UInt8(ascii: "\n"))
    return line
  }
}
