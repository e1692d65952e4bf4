import FunnelModel
import FunnelSystem

/// The files that nightly runs took, with their lengths at that time, so that a file that grew afterwards is noticed.
///
/// A process that holds a file open writes on after the file was moved to `done`. What it writes would be lost in silence.
///
/// The list is a file of the store: a line `{"file":"/srv/inbox/done/a.ndjson","bytes":1204}` for each file, the last taken last. It keeps the
/// newest ``filesMax`` files that are still there.
struct TakenFiles {
  private static let name = "inbox.ndjson"
  private static let filesMax = 10_000
  private static let bytesMax = 64 << 20

  private let path: StoragePath
  private let fileSystem = LocalFileSystem()
  /// The lengths by absolute path, and the paths in the order in which they were taken.
  private var lengths: [String: Int] = [:]
  private var order: [String] = []

  /// Reads the list of a store. A list that is missing or can't be read is empty: it only makes up for uploads that are not renamed.
  init(store: StoragePath) {
    path = store.inside(Self.name)
    guard let bytes = try? fileSystem.readAll(path, bytesMax: Self.bytesMax) else { return }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let entry = try? JSONDocument(parsing: Array(line)).root, let file = entry["file"]?.string,
        let length = entry["bytes"]?.integer
      else { continue }
      add(file, bytes: Int(length))
    }
  }

  /// Returns the length that a file had when it was taken, or nil if it is not known.
  func length(of file: String) -> Int? { lengths[file] }

  /// The files below a folder, sorted.
  func files(below folder: String) -> [String] { lengths.keys.filter { $0.hasPrefix(folder + "/") }.sorted() }

  /// Adds a file, or replaces its length.
  mutating func add(_ file: String, bytes: Int) {
    if lengths.updateValue(bytes, forKey: file) == nil { order.append(file) }
  }

  /// Removes a file that is not there any more.
  mutating func remove(_ file: String) { lengths[file] = nil }

  /// Writes the list.
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
