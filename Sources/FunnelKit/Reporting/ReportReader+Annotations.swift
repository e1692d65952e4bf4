package import FunnelModel
import FunnelSystem

extension ReportReader {
  /// Returns the annotations of the store, or `nil` if the source is no store or has none.
  ///
  /// - Throws: `noInput` or `inputOutput` if the list can't be read.
  package func annotations() throws(FunnelError) -> Annotations? {
    guard case .store(let store) = source else { return nil }
    let path = StoragePath(store).inside(Annotations.fileName)
    let disk = LocalFileSystem()
    guard try disk.status(of: path) != nil else { return nil }
    return Annotations(String(decoding: try disk.readAll(path, bytesMax: Limits.valueListBytesMax), as: UTF8.self))
  }
}
