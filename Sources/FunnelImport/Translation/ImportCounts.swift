public import FunnelModel

/// What became of foreign records besides events: told in the summary of an import.
public struct ImportCounts: Hashable, Sendable {
  /// A foreign name and the native one that it became. A track and a screen of one name become two.
  public struct Renaming: Hashable, Sendable {
    public var foreign: String
    public var native: String
    /// Whether the native form was found by folding; else a mapping gave it.
    public var isFolded: Bool

    fileprivate var sortKey: (String, String, Int) { (foreign, native, isFolded ? 1 : 0) }
  }

  /// The number of records with a value that was left out, by the value's path.
  public private(set) var leftOut: [String: Int] = [:]
  /// The number of records that the mapping leaves out.
  public var droppedByMap = 0
  /// What foreign names became, and for how many records.
  public private(set) var names: [Renaming: Int] = [:]
  /// The number of files and entries of archives, by format.
  public private(set) var files: [ImportFormat: Int] = [:]
  /// The first file of each format.
  public private(set) var firstFiles: [ImportFormat: String] = [:]

  /// The number of different paths, and of different names, beyond which further ones are not kept: records with random keys must not
  /// take up memory.
  public static let entriesMax = 4096
  /// The path that counts values whose own path is not kept.
  public static let otherPaths = "(other)"

  public init() {}

  /// Creates the tally of a file that begins.
  public init(file: String, format: ImportFormat) {
    files[format] = 1
    firstFiles[format] = file
  }

  public var isEmpty: Bool { leftOut.isEmpty && droppedByMap == 0 && names.isEmpty && files.isEmpty }

  /// Counts records with a value that was left out.
  mutating func leaveOut(_ path: String, count: Int = 1) {
    if leftOut[path] != nil || leftOut.count < Self.entriesMax {
      leftOut[path, default: 0] += count
    } else {
      leftOut[Self.otherPaths, default: 0] += count
    }
  }

  /// Counts records whose foreign name became a native one.
  mutating func rename(_ renaming: Renaming, count: Int) {
    if names[renaming] != nil || names.count < Self.entriesMax { names[renaming, default: 0] += count }
  }

  /// Adds the tally of another part of the input.
  public mutating func add(_ other: ImportCounts) {
    // Where not all are kept, the order decides which are.
    let isFull = leftOut.count + other.leftOut.count > Self.entriesMax || names.count + other.names.count > Self.entriesMax
    for (path, count) in isFull ? other.leftOut.sorted(by: { $0.key < $1.key }) : Array(other.leftOut) {
      leaveOut(path, count: count)
    }
    droppedByMap += other.droppedByMap
    for (renaming, count) in isFull ? other.names.sorted(by: { $0.key.sortKey < $1.key.sortKey }) : Array(other.names) {
      rename(renaming, count: count)
    }
    files.merge(other.files, uniquingKeysWith: +)
    firstFiles.merge(other.firstFiles) { min($0, $1) }
  }

  /// The native names that several foreign ones became by folding, with these.
  public var collisions: [(native: String, foreign: [String])] {
    var foreign: [String: [String]] = [:]
    for renaming in names.keys where renaming.isFolded { foreign[renaming.native, default: []].append(renaming.foreign) }
    return foreign.filter { $0.value.count > 1 }.map { ($0.key, $0.value.sorted()) }.sorted { $0.native < $1.native }
  }
}
