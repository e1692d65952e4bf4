public import FunnelModel
public import FunnelSystem

/// Reads every byte the journal covers and says what is not as it was written.
///
///     for finding in try StoreVerification.run("funnel-store", checker: checker) { print(finding) }
///
/// Checked are the chain of the journal, and for every part it covers: its length; the SHA-256 of each extent; the number, lengths and
/// CRC-32 of the members; the number of lines. With a checker also each record: whether it is in the form that writers give it, lies under
/// the day of its timestamp, and stands in the log only once.
///
/// **Uniqueness in bounded memory.** Of each event 64 bits of a hash are kept, eight bytes, and sorted; where two are equal the log is read
/// once more to compare all 128 bits and to say where both stand. A log with more events than fit into ``Limits/verificationHashBytesMax``
/// is read several times, for one slice of the hashes after another. The index knows ids too, but is derived: it says nothing about the log.
public enum StoreVerification {
  /// Something that is not as it was written.
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The file.
    public var path: String
    /// Where in it, in bytes; nil where that makes no sense. Of a record it is where its gzip member begins.
    public var offset: Int?
    /// Which record of the member, from 1; nil where it is not about one.
    public var record: Int?
    /// What is wrong, as a clause: "its hash does not match".
    public var reason: String
    /// The part it is about; nil for the journal.
    var part: PartName?

    public var description: String {
      let place = (offset.map { " at byte \($0)" } ?? "") + (record.map { ", record \($0)" } ?? "")
      return "\(path)\(place): \(reason)"
    }
  }

  /// Findings that are named, at most: a log in which everything stands twice is wrong enough with these.
  private static let findingsMax = 10_000

  /// How far it is.
  public struct Progress: Hashable, Sendable {
    public var bytesDone: Int
    public var bytesTotal: Int
  }

  /// Verifies a store; empty where it is whole.
  ///
  /// - Parameters:
  ///   - checker: looks into the records; nil to look at the bytes alone.
  ///   - hashBytesMax: memory for the hashes that tell whether events are unique.
  ///   - progress: called now and then, from any thread.
  /// - Throws: `noInput` where there is no store; `configuration` where it is of a newer version; what reading throws.
  public static func run(
    _ path: String, checker: (any RecordChecker)? = nil, threads: Int = 1,
    hashBytesMax: Int = Limits.verificationHashBytesMax, fileSystem: any FileSystem = LocalFileSystem(),
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) throws(FunnelError) -> [Finding] {
    let files = StoreFiles(path, fileSystem)
    guard let journal = try files.readJournal() else { throw try files.missingJournal() }
    let verifier = StoreVerifier(
      files: files, coverage: journal.coverage, checker: checker, threads: threads, hashBytesMax: hashBytesMax,
      progress: progress)
    var findings: [Finding]
    do throws(FunnelError) {
      findings = try verifier.run().all
    } catch {
      // A part that another command replaced meanwhile can't be read any more.
      guard error.code == .noInput, let newer = try files.readJournal(), newer.commits.count > journal.commits.count else {
        throw error
      }
      return try run(
        path, checker: checker, threads: threads, hashBytesMax: hashBytesMax, fileSystem: fileSystem, progress: progress)
    }
    // A part that another command replaced meanwhile is none of this store any more.
    if !findings.isEmpty, let newer = try files.readJournal(), newer.commits.count > journal.commits.count {
      let replaced = Set(newer.commits[journal.commits.count...].flatMap(\.removed).map { files.path(of: $0).description })
      findings.removeAll { replaced.contains($0.path) }
    }
    if findings.count > findingsMax {
      let more = findings.count - findingsMax
      findings.removeLast(more)
      findings.append(Finding(path: files.root.description, reason: "\(more) more findings are not named"))
    }
    guard let damage = journal.damage else { return findings }
    return [
      Finding(
        path: files.journal.description, offset: damage.offset,
        reason: "\(damage.description); what \(damage.line == nil ? "else was committed" : "follows it") could not be verified")
    ] + findings
  }
}
