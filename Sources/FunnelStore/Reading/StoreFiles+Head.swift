import FunnelModel
import FunnelSystem

extension StoreFiles {
  /// Who wants to know the head.
  enum HeadUse {
    /// A reader: what can't be read says nothing, as if there were none.
    case reading
    /// A writer, which would cut what the journal does not cover: it has to know.
    case writing
  }

  var head: StoragePath { root.inside(JournalHead.path) }

  /// Reads the head; nil where there is none or it is not whole.
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

  /// Opens the head for writing, and writes it where it is not just what it is to be.
  func renewHead(of journal: Journal) throws(FunnelError) -> File {
    let contents = JournalHead(of: journal).contents
    let file = try fileSystem.open(head, for: .updateOrCreate)
    if try fileSystem.size(of: file) > contents.count { try fileSystem.truncate(file, to: 0) }
    guard try fileSystem.read(file, at: 0, count: contents.count) != contents else { return file }
    try fileSystem.write(contents, to: file, at: 0)
    return file
  }

  /// What is wrong with a journal that is sound in itself; nil where it has what the head says.
  func damage(of journal: Journal, _ head: JournalHead?) throws(FunnelError) -> JournalDamage? {
    if let damage = journal.damage { return damage }
    if let head { return journal.damage(against: head) }
    guard journal.commits.isEmpty, try !presentParts().isEmpty else { return nil }
    return JournalDamage(line: nil, offset: 0, reason: "it has no commit although there are parts")
  }

  /// Whether a journal that is not there was there once.
  func hasLostJournal() throws(FunnelError) -> Bool {
    guard try fileSystem.status(of: root)?.kind == .directory else { return false }
    if let head = try readHead(for: .reading), head.commit > 0 { return true }
    return try !presentParts().isEmpty
  }
}

extension Journal {
  /// What is wrong with a sound journal that lacks what the head speaks of.
  fileprivate func damage(against head: JournalHead) -> JournalDamage? {
    guard head.commit > 0 else { return nil }
    guard head.commit <= commits.count else {
      let end = commits.isEmpty ? "it has no commit" : "it ends with commit \(commits.count) at byte \(bytes)"
      return JournalDamage(
        line: nil, offset: bytes,
        reason: "\(end), and \(JournalHead.path) knows of commit \(head.commit), up to byte \(head.bytes)")
    }
    guard commits[head.commit - 1].hash != head.hash else { return nil }
    return JournalDamage(
      line: nil, offset: 0, reason: "its commit \(head.commit) is not the one that \(JournalHead.path) knows of")
  }
}
