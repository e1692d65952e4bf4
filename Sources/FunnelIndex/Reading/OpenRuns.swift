internal import FunnelModel
internal import FunnelSystem

/// The runs that stay open from one question to the next, if the process wants that.
final class OpenRuns: Sendable {
  /// A run's file as it was when it was opened. A file that was changed or replaced since is another one.
  struct Place: Hashable {
    private let path: String
    private let checksum: UInt32
    private let change: FileChange

    /// Returns nil if there is no such file.
    init?(_ path: StoragePath, _ entry: IndexManifest.Run) {
      guard OpenRuns.shared.isKeeping, let change = try? LocalFileSystem().change(of: path) else { return nil }
      self.path = "\(path)"
      self.change = change
      checksum = entry.checksum
    }
  }

  static let shared = OpenRuns()

  /// What is kept.
  private struct Kept {
    var runs: [Place: SortedRun] = [:]
    /// The shared subjects of partitions, by the places in memory of the keys they were found among.
    var shared: [[UInt]: SharedSubjects] = [:]
  }

  private let kept = Guarded<Kept?>(nil)

  /// Whether runs are kept.
  var isKeeping: Bool { kept.withLock { $0 != nil } }

  /// Keeps runs from now on.
  func keep() { kept.withLock { $0 = $0 ?? Kept() } }

  /// Returns the run at a place, or nil if it is not open.
  func run(at place: Place) -> SortedRun? { kept.withLock { $0?.runs[place] } }

  /// Keeps these runs instead of those before.
  func replace(by runs: some Sequence<(Place, SortedRun)>) {
    let found = Dictionary(Array(runs), uniquingKeysWith: { first, _ in first })
    kept.withLock { kept in
      guard let known = kept?.runs, Set(known.keys) != Set(found.keys) else { return }
      // Other runs may come to lie where the old ones lay.
      kept = Kept(runs: found)
    }
  }

  /// Returns the shared subjects among the keys of several runs' partition, which are found only once if all of these runs are kept.
  func sharedSubjects(of keys: [UnsafeRawBufferPointer], _ find: () -> SharedSubjects) -> SharedSubjects {
    let places = keys.map { UInt(bitPattern: $0.baseAddress) }
    if let known = kept.withLock({ $0?.shared[places] }) { return known }
    let found = find()
    kept.withLock { kept in
      let areKept = kept.map { kept in keys.allSatisfy { keys in kept.runs.values.contains { $0.holds(keys) } } } ?? false
      if areKept { kept?.shared[places] = found }
    }
    return found
  }
}
