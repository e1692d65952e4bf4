import FunnelModel
import FunnelSystem

/// A file of a spool that is being written.
struct SpoolFile {
  let file: File
  let name: SpoolFileName
  let opened: ContinuousClock.Instant
  /// The length of what was acknowledged.
  private(set) var acknowledgedBytes = 0
  /// The length of what was written.
  private(set) var writtenBytes = 0
  /// Whether the name of the file is durable.
  var hasDurableName = false

  init(_ file: File, _ name: SpoolFileName, opened: ContinuousClock.Instant) {
    self.file = file
    self.name = name
    self.opened = opened
  }

  var path: StoragePath { file.path }

  /// Whether something was written that is not acknowledged.
  var isChanged: Bool { writtenBytes > acknowledgedBytes }

  /// Writes bytes at the end.
  mutating func append(_ bytes: [UInt8], _ fileSystem: any FileSystem) throws(FunnelError) {
    try fileSystem.write(bytes, to: file, at: writtenBytes)
    writtenBytes += bytes.count
  }

  /// Notes that all that was written is on the disk and acknowledged.
  mutating func acknowledge() {
    precondition(hasDurableName, "a file is on the disk if its name is")
    acknowledgedBytes = writtenBytes
  }
}
