import FunnelModel
import FunnelReports
import FunnelSystem

/// Writes and reads state files.
enum StateOutput {
  /// Writes a state to a file, atomically, or to standard output (`-`). Only the owner can read the file.
  static func write(_ state: ReportState, to path: String) throws(FunnelError) {
    // The permissions are strict because a state contains IDs of subjects, as examples.
    guard path != "-" else { return Console.write(state.bytes) }
    try AtomicFile.write(StoragePath(path), state.bytes, permissions: .owner)
  }

  /// The number of bytes to read at a time.
  private static let chunkByteCount = 1 << 18

  /// Reads a state from a file, which may be a pipe.
  ///
  /// - Throws: `noInput` if the file does not exist, `unusableInput` if it is not a state.
  static func read(_ path: String) throws(FunnelError) -> ReportState {
    let disk = LocalFileSystem()
    let stream = FileStream(try disk.open(StoragePath(path), for: .read), fileSystem: disk)
    var bytes: [UInt8] = []
    while true {
      let chunk = try stream.read(upTo: chunkByteCount)
      guard !chunk.isEmpty else { return try ReportState(bytes: bytes, name: path) }
      bytes += chunk
      guard bytes.count <= Limits.stateBytesMax else {
        throw FunnelError(
          .unusableInput,
          "\(path.printable), larger than \(Limits.stateBytesMax) bytes, too large for a state; check that it is the right file"
        )
      }
    }
  }
}
