package import FunnelModel

extension ReportReader {
  /// Returns the annotations of the store, or `nil` if the source is no store or has none.
  ///
  /// - Throws: `noInput` or `inputOutput` if the list can't be read.
  package func annotations() throws(FunnelError) -> Annotations? {
    guard case .store(let store) = source else { return nil }
    return try StoreList.text(Annotations.fileName, ofStore: store).map { Annotations($0) }
  }
}
