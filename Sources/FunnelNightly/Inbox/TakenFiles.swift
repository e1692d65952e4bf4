import FunnelModel
import FunnelSystem

/// The list of files that nightly runs have ingested, with their lengths at that time. It reveals files that grew later.
///
/// A process that still has a file open continues to write after the file was moved to `done`. Without this
/// list, those lines would be lost.
///
/// The list is a file of the store, with a line `{"file":"/srv/inbox/done/a.ndjson","bytes":1204}` for each
/// file, oldest first. It keeps the newest ``filesMax`` files that still exist.
struct TakenFiles {
  /// The name of the list in the store.
  private static let name = "inbox.ndjson"
  /// The largest number of files in the list.
  private static let filesMax = 10_000
  /// The largest size in bytes of the list: far more than ``filesMax`` paths of usual length need.
  private static let bytesMax = 64 << 20

  private let path: StoragePath
  private let fileSystem = LocalFileSystem()
  /// The lengths in bytes by absolute path.
  private var lengths: [String: Int] = [:]
  /// The paths in the order in which the files were ingested. May include removed paths until ``write()``.
  private var order: [String] = []

  /// Reads the list of a store. A missing or unreadable list counts as empty.
  init(store: StoragePath) {
    // The list is only a safety net for uploads that are not renamed, so its loss is no error.
    path = store.inside(Self.name)
    guard let bytes = try? fileSystem.readAll(path, bytesMax: Self.bytesMax) else { return }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let entry = try? JSONDocument(parsing: Array(line)).root, let file = entry["file"]?.string,
        let length = entry["bytes"]?.integer
      else { continue }
      add(file, bytes: Int(length))
    }
  }

  /// Returns the length in bytes that a file had when it was ingested, or `nil` if the file is not in the list.
  func length(of file: String) -> Int? { lengths[file] }

  /// Returns the files in a folder and its subfolders, sorted.
  func files(below folder: String) -> [String] { lengths.keys.filter { $0.hasPrefix(folder + "/") }.sorted() }

  /// Adds a file, or replaces its length.
  mutating func add(_ file: String, bytes: Int) {
    if lengths.updateValue(bytes, forKey: file) == nil { order.append(file) }
  }

  /// Removes a file that no longer exists.
  mutating func remove(_ file: String) { lengths[file] = nil }

  /// Writes the list to the store.
  mutating func write() throws(FunnelError) {
    order = Array(order.filter { lengths[$0] != nil }.suffix(Self.filesMax))
    var bytes: [UInt8] = []
    for file in order {
      bytes.append(text: "{\"file\":")
      bytes.appendJSONString(file)
      bytes.append(text: ",\"bytes\":\(lengths[file] ?? 0)}\n")
    }
    try AtomicFile.write(path, bytes, permissions: .owner)
  }
}
