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
  /// The number of records with a user, by the user's path.
  package private(set) var users: [String: Int] = [:]
  /// The number of records that the mapping drops.
  package var droppedByMap = 0
  /// The number of records of each imported name.
  package private(set) var names: [Renaming: Int] = [:]
  /// The number of records whose names are not in ``names``, because there are too many.
  package private(set) var recordsOfOtherNames = 0
  /// The number of files and archive entries of each format.
  package private(set) var files: [ImportFormat: Int] = [:]
  /// The first file of each format in the order of their paths.
  package private(set) var firstFiles: [ImportFormat: String] = [:]

  /// The first file in each encoding other than UTF-8, in the order of their paths.
  package private(set) var firstFilesByEncoding: [TextEncoding: String] = [:]
  /// The number of zero bytes that were skipped before records, as a crash or a truncated log leaves them.
  package private(set) var zeroBytes = 0
  /// The times from events to their receipt.
  package internal(set) var receiptDelays = ReceiptDelays()
  /// The order of times in each file whose records give their events a `seq`, by its path. At most ``entriesMax`` files.
  private var orders: [String: TimeOrder] = [:]
  /// The files that were not read.
  package private(set) var passedOver = PassedOverFiles()

  /// The maximum number of distinct paths, and of distinct names.
  package static let entriesMax = 4096  // Records with random keys would otherwise take unbounded memory.
  /// The path under which all paths beyond the maximum are counted.
  package static let otherPaths = "(other)"

  package init() {}

  /// Creates the statistics of one file before its first record.
  package init(file: String, format: ImportFormat, encoding: TextEncoding) {
    files[format] = 1
    firstFiles[format] = file
    if encoding != .utf8 { firstFilesByEncoding[encoding] = file }
  }

  /// Creates the statistics of a record with zero bytes before it.
  package init(zeroBytes: Int) { self.zeroBytes = zeroBytes }

  /// Creates the statistics of files that were not read.
  package init(passedOver: PassedOverFiles) { self.passedOver = passedOver }

  /// Whether nothing was counted.
  package var isEmpty: Bool {
    leftOut.isEmpty && users.isEmpty && droppedByMap == 0 && names.isEmpty && files.isEmpty && zeroBytes == 0
      && passedOver.isEmpty && receiptDelays.isEmpty && orders.isEmpty
  }

  /// Adds records with a value that was left out at a path.
  mutating func leaveOut(_ path: String, count: Int = 1) {
    if leftOut[path] != nil || leftOut.count < Self.entriesMax {
      leftOut[path, default: 0] += count
    } else {
      leftOut[Self.otherPaths, default: 0] += count
    }
  }

  /// Adds records whose user is at a path. The paths are those that a format or a mapping names.
  mutating func addUsers(_ path: String, count: Int) { users[path, default: 0] += count }

  /// Adds records of an imported name. Names beyond the maximum are counted together.
  mutating func rename(_ renaming: Renaming, count: Int) {
    if names[renaming] != nil || names.count < Self.entriesMax {
      names[renaming, default: 0] += count
    } else {
      recordsOfOtherNames += count
    }
  }

  /// Adds the statistics of another portion of the input.
  package mutating func add(_ other: ImportCounts) {
    // If not all entries fit, sorting makes the selection deterministic.
    let isFull =
      leftOut.count + other.leftOut.count > Self.entriesMax || names.count + other.names.count > Self.entriesMax
      || orders.count + other.orders.count > Self.entriesMax
    for (path, count) in isFull ? other.leftOut.sorted(by: { $0.key < $1.key }) : Array(other.leftOut) {
      leaveOut(path, count: count)
    }
    for (path, count) in other.users { addUsers(path, count: count) }
    droppedByMap += other.droppedByMap
    recordsOfOtherNames += other.recordsOfOtherNames
    for (renaming, count) in isFull ? other.names.sorted(by: { $0.key.sortKey < $1.key.sortKey }) : Array(other.names) {
      rename(renaming, count: count)
    }
    files.merge(other.files, uniquingKeysWith: +)
    firstFiles.merge(other.firstFiles) { min($0, $1) }
    firstFilesByEncoding.merge(other.firstFilesByEncoding) { min($0, $1) }
    zeroBytes += other.zeroBytes
    receiptDelays.add(other.receiptDelays)
    passedOver.add(other.passedOver)
    for (file, order) in isFull ? other.orders.sorted(by: { $0.key < $1.key }) : Array(other.orders) { note(order, of: file) }
  }

  /// Adds the order of successive records of a file. Files beyond the maximum are left out.
  mutating func note(_ order: TimeOrder, of file: String) {
    if orders[file] != nil || orders.count < Self.entriesMax { orders[file, default: TimeOrder()].add(order) }
  }

  /// The files that are sorted newest first, and have records with the time of the record before: the paths, sorted, each with
  /// the number of these records.
  package var newestFirst: [(file: String, equalCount: Int)] {
    orders.filter { $0.value.isDescending && $0.value.equalCount > 0 }.map { ($0.key, $0.value.equalCount) }
      .sorted { $0.file < $1.file }
  }

  /// The names that the input has for events whose native names end in a hash, by the native names. Native names that stand for
  /// several are not included.
  package var originalsOfHashedNames: [String: String] { originals(where: NameFolding.hasHash) }

  /// The names that the input has for events whose native names lost letters, or end in a hash, by the native names. Native names
  /// that stand for several are not included.
  package var originalsOfLossyNames: [String: String] {
    originals { NameFolding.hasHash($0, of: $1) || NameFolding.lostLetters($0, of: $1) }
  }

  /// Returns the names that the input has for events, by their native names, if both meet a condition.
  private func originals(where isWanted: (_ native: String, _ imported: String) -> Bool) -> [String: String] {
    Dictionary(grouping: names.keys, by: \.native).compactMapValues { renamings in
      let imported = Set(renamings.map(\.imported))
      guard imported.count == 1, let name = imported.first, isWanted(renamings[0].native, name) else { return nil }
      return name
    }
  }

  /// The native names that are derived from several imported names, sorted, with these names.
  package var collisions: [(native: String, imported: [String])] {
    var imported: [String: [String]] = [:]
    for renaming in names.keys where renaming.isFolded { imported[renaming.native, default: []].append(renaming.imported) }
    return imported.filter { $0.value.count > 1 }.map { ($0.key, $0.value.sorted()) }.sorted { $0.native < $1.native }
  }
}
