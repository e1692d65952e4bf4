import FunnelModel
import FunnelSystem

extension StoreFiles {
  /// The purpose for which the head is read.
  enum HeadUse {
    /// For a reader: a head that can't be read is treated as missing.
    case reading
    /// For a writer, which truncates log files to what the journal covers: a head that can't be read is an error.
    case writing
  }

  var head: StoragePath { root.inside(JournalHead.path) }

  /// Reads the head. Returns `nil` if it is missing or invalid.
  func readHead(for use: HeadUse) throws(FunnelError) -> JournalHead? {
    do throws(FunnelError) {
      guard try fileSystem.status(of: head) != nil else { return nil }
      let file = try fileSystem.open(head, for: use == .reading ? .read : .update)
      guard try fileSystem.size(of: file) == JournalHead.byteCount else { return nil }
      return JournalHead(parsing: try fileSystem.read(file, at: 0, count: JournalHead.byteCount))
    } catch {
      if use == .reading { return nil }
      throw error
    }
  }

  /// Opens the head for writing, and updates it if it is not that of the journal.
  func renewHead(of journal: Journal) throws(FunnelError) -> File {
    let contents = JournalHead(of: journal).contents
    let file = try fileSystem.open(head, for: .updateOrCreate)
    if try fileSystem.size(of: file) > contents.count { try fileSystem.truncate(file, to: 0) }
    guard try fileSystem.read(file, at: 0, count: contents.count) != contents else { return file }
    try fileSystem.write(contents, to: file, at: 0)
    return file
  }

  /// Returns the damage of a journal, or `nil` if it is intact. A journal that lacks the commit that the head
  /// records is damaged.
  func damage(of journal: Journal, _ head: JournalHead?) throws(FunnelError) -> JournalDamage? {
    if let damage = journal.damage { return damage }
    if let head { return journal.damage(against: head) }
    guard journal.commits.isEmpty, try !presentLogFiles().isEmpty else { return nil }
    return JournalDamage(line: nil, offset: 0, reason: "it has no commit, but there are parts")
  }

  /// Returns whether a missing journal was lost, and not only never created.
  func hasLostJournal() throws(FunnelError) -> Bool {
    guard try fileSystem.status(of: root)?.kind == .directory else { return false }
    if let head = try readHead(for: .reading), head.commit > 0 { return true }
    return try !presentLogFiles().isEmpty
  }
}

extension Journal {
  /// Returns the damage of an intact journal that lacks the commit of the head, or `nil` if it contains the commit.
  fileprivate func damage(against head: JournalHead) -> JournalDamage? {
    guard head.commit > 0 else { return nil }
    guard head.commit <= commits.count else {
      let end = commits.isEmpty ? "it has no commit" : "it ends with commit \(commits.count) at byte \(bytes)"
      return JournalDamage(
        line: nil, offset: bytes,
        reason: "\(end), but \(JournalHead.path) records commit \(head.commit), up to byte \(head.bytes)")
    }
    guard commits[head.commit - 1].hash != head.hash else { return nil }
    return JournalDamage(
      line: nil, offset: 0, reason: "its commit \(head.commit) is not the one that \(JournalHead.path) records")
  }
}
