/// The files of folders and zips that were not read, because neither their names nor their contents are those of logs.
package struct PassedOverFiles: Hashable, Sendable {
  /// The number of files.
  package private(set) var count = 0
  /// The number of these that are files, not entries of zips, and whose names are those of logs, but not their contents.
  package private(set) var proseCount = 0
  /// The first paths in their order, at most ``examplesMax``.
  package private(set) var examples: [String] = []

  /// The maximum number of paths that are kept. There may be millions of other files in a folder.
  package static let examplesMax = 3

  package init() {}

  /// Whether all files were read.
  package var isEmpty: Bool { count == 0 }

  /// Adds a file.
  ///
  /// - Parameter isProse: Whether it is a file, not an entry of a zip, and its name is that of a log, but not its content.
  package mutating func add(_ path: String, isProse: Bool = false) {
    count += 1
    if isProse { proseCount += 1 }
    keep([path])
  }

  /// Adds the files of another part of the input.
  package mutating func add(_ other: PassedOverFiles) {
    count += other.count
    proseCount += other.proseCount
    keep(other.examples)
  }

  private mutating func keep(_ paths: [String]) {
    examples = Array((examples + paths).sorted().prefix(Self.examplesMax))
  }
}
