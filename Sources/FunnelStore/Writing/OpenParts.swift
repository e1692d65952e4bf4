import FunnelModel
import FunnelSystem

/// The parts a reader has opened. They stay open, and so readable as they were, whatever a writer puts in their place meanwhile.
final class OpenParts: Sendable {
  /// Most files that are kept open; a store may have more parts than a process may have files.
  private static let countMax = 96

  private let files = Guarded<[PartName: File]>([:])

  /// A part's file, if it is open.
  func file(of part: PartName) -> File? { files.withLock { $0[part] } }

  /// A part's file; opened by the caller where it is not open yet.
  func file(of part: PartName, open: () throws(FunnelError) -> File) throws(FunnelError) -> File {
    if let file = file(of: part) { return file }
    let file = try open()
    files.withLock { files in
      if files.count < Self.countMax { files[part] = file }
    }
    return file
  }
}
