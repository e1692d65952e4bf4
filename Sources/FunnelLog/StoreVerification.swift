public import FunnelModel
public import FunnelStorage
import Synchronization

/// Reads every byte the journal covers and says what is not as it was written.
///
///     for finding in try StoreVerification.run("funnel-store") { print(finding) }
public enum StoreVerification {
  /// Something that is not as it was written.
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The file.
    public var path: String
    /// Where in it, in bytes; nil where that makes no sense.
    public var offset: Int?
    /// What is wrong, as a clause: "its hash does not match".
    public var reason: String

    public var description: String {
      offset.map { "\(path) at byte \($0): \(reason)" } ?? "\(path): \(reason)"
    }
  }

  /// How far it is.
  public struct Progress: Hashable, Sendable {
    public var bytesDone: Int
    public var bytesTotal: Int
  }

  /// Verifies a store; empty where it is whole.
  ///
  /// Checked are the chain of the journal, and for every part it covers: its length; the SHA-256 of each extent; the number, lengths and
  /// CRC-32 of the members; the number of lines; that events lie under the day of their timestamps.
  ///
  /// - Parameter progress: called now and then, from any thread.
  /// - Throws: `noInput` where there is no store; `configuration` where it is of a newer version; what reading throws.
  public static func run(
    _ path: String, threads: Int = 1, fileSystem: any FileSystem = LocalFileSystem(),
    progress: @Sendable (Progress) -> Void = { _ in }
  ) throws(FunnelError) -> [Finding] {
    let files = StoreFiles(path, fileSystem)
    guard let journal = try files.readJournal() else { throw try files.missingJournal() }
    var findings: [Finding] = []
    if let damage = journal.damage {
      findings.append(
        Finding(
          path: files.journal.description, offset: damage.offset,
          reason: "line \(damage.line) is damaged: \(damage.reason); what follows it could not be verified"))
    }
    let parts = PartName.Area.allCases.flatMap { journal.coverage.parts(of: $0) }
    let counter = Counter(total: parts.reduce(0) { $0 + $1.bytes })
    let found = try Parallel.map(count: parts.count, threads: threads) { (index) throws(FunnelError) in
      try PartVerification(part: parts[index], files: files).run { progress(counter.add($0)) }
    }
    return findings + found.joined()
  }

  private final class Counter: Sendable {
    private let progress: Mutex<Progress>

    init(total: Int) { progress = Mutex(Progress(bytesDone: 0, bytesTotal: total)) }

    func add(_ bytes: Int) -> Progress {
      progress.withLock { progress in
        progress.bytesDone += bytes
        return progress
      }
    }
  }
}
