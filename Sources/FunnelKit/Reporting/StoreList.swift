package import FunnelModel
import FunnelSystem

/// A list in the folder of a store that a person edits, such as `annotations.csv`.
package enum StoreList {
  /// Returns the text of a list, or `nil` if the store has none.
  ///
  /// - Throws: `noInput` or `inputOutput` if the list can't be read.
  package static func text(_ name: String, ofStore store: String) throws(FunnelError) -> String? {
    let path = StoragePath(store).inside(name)
    let disk = LocalFileSystem()
    guard try disk.status(of: path) != nil else { return nil }
    return String(decoding: try disk.readAll(path, bytesMax: Limits.valueListBytesMax), as: UTF8.self)
  }
}
