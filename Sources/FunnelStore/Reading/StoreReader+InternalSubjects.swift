public import FunnelModel
import FunnelSystem

extension StoreReader {
  /// Returns the store's list of internal subjects, or `nil` if the list is missing or empty.
  ///
  /// - Throws: `noInput` or `inputOutput` if the list can't be read.
  public func internalSubjects() throws(FunnelError) -> InternalSubjects? {
    let path = files.root.inside(InternalSubjects.fileName)
    guard try files.fileSystem.status(of: path) != nil else { return nil }
    let bytes = try files.fileSystem.readAll(path, bytesMax: Limits.valueListBytesMax)
    let list = InternalSubjects(String(decoding: bytes, as: UTF8.self))
    return list.isEmpty ? nil : list
  }
}
