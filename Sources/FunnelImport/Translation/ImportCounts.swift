package import FunnelModel

/// The statistics of an import for its summary: renamed events, values and records that were left out, and formats.
package struct ImportCounts: Hashable, Sendable {
  /// An imported event name and its native form. A track and a screen with the same name have different native forms.
  package struct Renaming: Hashable, Sendable {
    /// The name as the records have it.
    package var imported: String
    /// The native form.
    package var native: String
    /// Whether the native form was derived from the name. Otherwise a mapping defines it.
    package var isFolded: Bool

    fileprivate var sortKey: (String, String, Int) { (imported, native, isFolded ? 1 : 0) }
  }

  /// The number of records with a value that was left out, by the value's path.
  package private(set) var leftOut: [String: Int] = [:]
  /// The number of records that the mapping drops.
  package var droppedByMap = 0
  /// The number of records of each imported name.
  package private(set) var names: [Renaming: Int] = [:]
  /// The number of files and archive entries of each format.
  package private(set) var files: [ImportFormat: Int] = [:]
  /// The first file of each format in the order of their paths.
  package private(set) var firstFiles: [ImportFormat: String] = [:]

  /// The maximum number of distinct paths, and of distinct names.
  package static let entriesMax = 4096  // Records with random keys would otherwise take unbounded memory.
  /// The path under which all paths beyond the maximum are counted.
  package static let otherPaths = "(other)"

  package init() {}

  /// Creates the statistics of one file before its first record.
  package init(file: String, format: ImportFormat) {
    files[format] = 1
    firstFiles[format] = file
  }

  /// Whether nothing was counted.
  package var isEmpty: Bool { leftOut.isEmpty && droppedByMap == 0 && names.isEmpty && files.isEmpty }

  /// Adds records with a value that was left out at a path.
  mutating func leaveOut(_ path: String, count: Int = 1) {
    if leftOut[path] != nil || leftOut.count < Self.entriesMax {
      leftOut[path, default: 0] += count
    } else {
      leftOut[Self.otherPaths, default: 0] += count
    }
  }

  /// Adds records of an imported name. Names beyond the maximum are not counted.
  mutating func rename(_ renaming: Renaming, count: Int) {
    if names[renaming] != nil || names.count < Self.entriesMax { names[renaming, default: 0] += count }
  }

  /// Adds the statistics of another portion of the input.
  package mutating func add(_ other: ImportCounts) {
    // If not all entries fit, sorting makes the selection deterministic.
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

  /// The native names that are derived from several imported names, sorted, with these names.
  package var collisions: [(native: String, imported: [String])] {
    var imported: [String: [String]] = [:]
    for renaming in names.keys where renaming.isFolded { imported[renaming.native, default: []].append(renaming.imported) }
    return imported.filter { $0.value.count > 1 }.map { ($0.key, $0.value.sorted()) }.sorted { $0.native < $1.native }
  }
}
