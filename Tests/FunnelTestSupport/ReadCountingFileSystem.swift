package import FunnelModel
package import FunnelSystem

/// A disk that counts the bytes read from each file.
package final class ReadCountingFileSystem: FrontFileSystem {
  package let disk = LocalFileSystem()
  private let counts = Guarded<[String: Int]>([:])

  package init() {}

  /// Returns the number of bytes read so far from files whose paths have a suffix.
  package func bytes(ofFilesEnding suffix: String) -> Int {
    counts.withLock { $0.reduce(0) { $0 + ($1.key.hasSuffix(suffix) ? $1.value : 0) } }
  }

  package func read(_ file: File, into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    let before = output.count
    try disk.read(file, into: &output)
    note(output.count - before, of: file)
  }

  package func read(_ file: File, at offset: Int, into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    let before = output.count
    try disk.read(file, at: offset, into: &output)
    note(output.count - before, of: file)
  }

  private func note(_ count: Int, of file: File) {
    counts.withLock { $0[file.path.description, default: 0] += count }
  }
}
