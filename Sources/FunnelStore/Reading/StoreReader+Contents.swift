package import FunnelModel
import FunnelSystem

extension StoreReader {
  /// The last day whose events were dropped by retention, or `nil` if there is none.
  ///
  /// On this day and earlier ones, the log contains only events that were ingested after the retention or have a
  /// longer retention.
  package var lastDroppedDay: CivilDate? {
    commits.filter { $0.kind == .retain }.flatMap(\.removed).filter { $0.area == .log }.map(\.day).max()
  }

  /// Returns the store's list of internal subjects, or `nil` if the list is missing or empty.
  ///
  /// - Throws: `noInput` or `inputOutput` if the list can't be read.
  package func internalSubjects() throws(FunnelError) -> InternalSubjects? {
    let path = files.root.inside(InternalSubjects.fileName)
    guard try files.fileSystem.status(of: path) != nil else { return nil }
    let bytes = try files.fileSystem.readAll(path, bytesMax: Limits.valueListBytesMax)
    let list = InternalSubjects(String(decoding: bytes, as: UTF8.self))
    return list.isEmpty ? nil : list
  }

  /// Returns the flow definitions in the store, by file name.
  ///
  /// - Throws: `inputOutput` if a file is larger than ``Limits/configurationBytesMax``; `noInput` if a file can't be read.
  package func schemas() throws(FunnelError) -> [(name: String, bytes: [UInt8])] {
    guard try files.fileSystem.status(of: files.schemas) != nil else { return [] }
    var schemas: [(name: String, bytes: [UInt8])] = []
    for name in try files.fileSystem.list(files.schemas) where name.hasSuffix(".json") && !name.hasPrefix(".") {
      let bytes = try files.fileSystem.readAll(files.schemas.inside(name), bytesMax: Limits.configurationBytesMax)
      schemas.append((name, bytes))
    }
    return schemas
  }
}
