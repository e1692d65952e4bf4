internal import FunnelModel
internal import FunnelSystem

/// A cache of sorted runs that stay open from one request to the next, in a process that enables it. Thread-safe.
final class OpenRuns: Sendable {
  /// The identity of a run's file. A file that is changed or replaced gets another identity.
  struct FileIdentity: Hashable {
    private let path: String
    private let checksum: UInt32
    private let change: FileChange

    /// Creates the identity of a file, or returns `nil` if the cache is disabled or there is no such file.
    init?(_ path: StoragePath, _ entry: IndexManifest.Run) {
      guard OpenRuns.shared.isKeeping, let change = try? LocalFileSystem().change(of: path) else { return nil }
      self.path = "\(path)"
      self.change = change
      checksum = entry.checksum
    }
  }

  /// The cache of the process.
  static let shared = OpenRuns()

  /// The contents of an enabled cache.
  private struct Kept {
    var runs: [FileIdentity: SortedRun] = [:]
    /// The shared subjects of partitions, by the locations of the key sections of the partition in each run.
    var shared: [[MemoryLocation]: SharedSubjects] = [:]
  }

  /// The contents; `nil` while the cache is disabled.
  private let kept = Guarded<Kept?>(nil)

  /// Whether the cache is enabled.
  var isKeeping: Bool { kept.withLock { $0 != nil } }

  /// Enables the cache.
  func keep() { kept.withLock { $0 = $0 ?? Kept() } }

  /// Returns the open run of a file, or `nil` if the file is not cached.
  func run(at identity: FileIdentity) -> SortedRun? { kept.withLock { $0?.runs[identity] } }

  /// Replaces the cached runs. Does nothing while the cache is disabled.
  func replace(by runs: some Sequence<(FileIdentity, SortedRun)>) {
    let replacement = Dictionary(Array(runs), uniquingKeysWith: { first, _ in first })
    kept.withLock { kept in
      guard let known = kept?.runs, Set(known.keys) != Set(replacement.keys) else { return }
      // The shared subjects are dropped, because new runs may be mapped at the addresses of old ones.
      kept = Kept(runs: replacement)
    }
  }

  /// Returns the shared subjects of one partition of several runs. They are cached if all of these runs are.
  ///
  /// - Parameters:
  ///   - keys: The keys of the partition in each run.
  ///   - find: Computes the shared subjects.
  func sharedSubjects(of keys: [SubjectKeys], _ find: () -> SharedSubjects) -> SharedSubjects {
    let locations = keys.map(\.bytes.location)
    if let known = kept.withLock({ $0?.shared[locations] }) { return known }
    let found = find()
    kept.withLock { kept in
      let areKept =
        kept.map { kept in keys.allSatisfy { keys in kept.runs.values.contains { $0.contains(keys.bytes) } } } ?? false
      if areKept { kept?.shared[locations] = found }
    }
    return found
  }
}
