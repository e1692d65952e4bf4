package import FunnelModel
package import FunnelSystem

/// The verification of a store: reads every covered byte, and reports all differences from what was written.
///
///     for finding in try StoreVerification.run("funnel-store", checker: checker) { print(finding) }
///
/// It checks the chain of the journal, and for every covered log file its length, the SHA-256 of each extent, the
/// number, the lengths and the CRC-32 of the members, and the number of lines. With a checker it also checks that
/// each record is in canonical form, is stored under the day of its timestamp, and is in the log only once.
///
/// **Uniqueness in bounded memory.** For each event, 64 bits of a 128-bit hash are kept and sorted. If two are
/// equal, the log is read once more to compare all 128 bits and to locate both events. A log whose hashes do not
/// fit into ``Limits/verificationHashBytesMax`` is read several times, once for each slice of the hashes. The index
/// is not used, because it is derived data.
package enum StoreVerification {
  /// A difference from what was written.
  package struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    package var path: String
    /// The offset in the file in bytes, or `nil` if the finding is about the whole file. For a record it is the
    /// offset of its gzip member.
    package var offset: Int?
    /// The number of the record in its member, from 1, or `nil` if the finding is not about a record.
    package var record: Int?
    /// The problem, as a clause: "its hash does not match".
    package var reason: String
    /// The damaged log file, or `nil` if the finding is about the journal.
    var logFile: LogFileName?

    package var description: String {
      let place = (offset.map { " at byte \($0)" } ?? "") + (record.map { ", record \($0)" } ?? "")
      return "\(path)\(place): \(reason)"
    }
  }

  /// The maximum number of findings that are returned. It bounds the output if, for example, every event is duplicated.
  private static let findingsMax = 10_000

  /// The progress of a verification.
  package struct Progress: Hashable, Sendable {
    package var bytesDone: Int
    package var bytesTotal: Int
  }

  /// Verifies a store. Returns an empty array if it is intact.
  ///
  /// - Parameters:
  ///   - path: The path of the store.
  ///   - checker: The checker of the records, or `nil` to check only the bytes.
  ///   - threads: The maximum number of threads.
  ///   - hashBytesMax: The memory for the hashes of events, in bytes.
  ///   - progress: A closure that is called repeatedly, on any thread.
  /// - Throws: `noInput` if there is no store; `configuration` if it is of a newer version; the errors of reading.
  package static func run(
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
      // A log file that another command replaced in the meantime can't be read any more.
      guard error.code == .noInput, let newer = try files.readJournal(), newer.commits.count > journal.commits.count else {
        throw error
      }
      return try run(
        path, checker: checker, threads: threads, hashBytesMax: hashBytesMax, fileSystem: fileSystem, progress: progress)
    }
    // A log file that another command replaced in the meantime no longer belongs to this store.
    if !findings.isEmpty, let newer = try files.readJournal(), newer.commits.count > journal.commits.count {
      let replaced = Set(newer.commits[journal.commits.count...].flatMap(\.removed).map { files.path(of: $0).description })
      findings.removeAll { replaced.contains($0.path) }
    }
    if findings.count > findingsMax {
      let more = findings.count - findingsMax
      findings.removeLast(more)
      findings.append(Finding(path: files.root.description, reason: "\(more) more findings are not listed"))
    }
    guard let damage = journal.damage else { return findings }
    return [
      Finding(
        path: files.journal.description, offset: damage.offset,
        reason: "\(damage.description); what \(damage.line == nil ? "else was committed" : "follows it") could not be verified")
    ] + findings
  }
}
