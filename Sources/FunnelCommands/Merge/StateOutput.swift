import FunnelModel
import FunnelReports
import FunnelSystem

/// Writes and reads the files of states.
enum StateOutput {
  /// Writes a state to a file, all or nothing, or to standard output (`-`). A state names subjects, as examples, so nobody but its owner can
  /// read the file.
  static func write(_ state: ReportState, to path: String) throws(FunnelError) {
    guard path != "-" else { return Console.write(state.bytes) }
    try AtomicFile.write(StoragePath(path), state.bytes, permissions: .owner)
  }

  /// Reads the state of a file, which may be a pipe.
  ///
  /// - Throws: `noInput` if there is no such file, `unusableInput` if it is no state.
  static func read(_ path: String) throws(FunnelError) -> ReportState {
    let disk = LocalFileSystem()
    let file = try disk.open(StoragePath(path), for: .read)
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 8)
    defer { chunk.deallocate() }
    var bytes: [UInt8] = []
    while true {
      let count = try disk.read(file, into: chunk)
      guard count > 0 else { return try ReportState(bytes: bytes, name: path) }
      bytes.append(contentsOf: chunk[..<count])
      guard bytes.count <= Limits.stateBytesMax else {
        throw FunnelError(
          .unusableInput,
          "\(path.printable), larger than \(Limits.stateBytesMax) bytes, too large for a state; check that it is the right file"
        )
      }
    }
  }
}
