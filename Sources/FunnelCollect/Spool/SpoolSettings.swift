package import FunnelModel
package import FunnelSystem

/// The settings of a ``Spool``.
package struct SpoolSettings: Sendable {
  /// The most bytes that all files in the spool may have together.
  package var limitBytes = SpoolSettings.limitBytesDefault
  /// The size in bytes from which on a file is finished.
  package var fileBytesTarget = 64 << 20
  /// The age at which a file is finished.
  package var fileAgeMax = TimeSpan(milliseconds: 60_000)
  /// The most bytes that may wait to be written. It bounds the memory of the spool.
  package var waitingBytesMax = 64 << 20
  /// How long to wait while another process has the spool.
  package var lockTimeout = TimeSpan(milliseconds: 0)
  /// The file system.
  package var fileSystem: any FileSystem = LocalFileSystem()
  /// Returns the time, for the names of files and ``SpoolStatistics/secondsBehind``.
  package var now: @Sendable () -> Timestamp

  /// The default of `--spool-limit`: 10 GiB.
  package static let limitBytesDefault = 10 << 30

  /// Creates the default settings.
  package init(now: @escaping @Sendable () -> Timestamp) {
    self.now = now
  }

  /// Parses the value of `--spool-limit`: a number of bytes, or a size such as `512MiB`.
  ///
  /// - Throws: `usage` if the text is not a size, or zero.
  package static func limitBytes(parsing text: String) throws(FunnelError) -> Int {
    let isPlain = !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let bytes = isPlain ? Int(text) : ByteSize.bytes(text), bytes > 0 else {
      throw FunnelError(.usage, "not a size, --spool-limit \(text.printable), write it in bytes, or as 512MiB or 10GiB")
    }
    return bytes
  }
}

/// The state of a spool, for metrics.
package struct SpoolStatistics: Hashable, Sendable {
  /// The size of all files in the spool.
  package var bytes: Int
  /// The number of flushes of files and folders so far.
  package var flushCount: Int
  /// The age of the oldest file in seconds, or 0 if there is none.
  package var secondsBehind: Double

  package init(bytes: Int, flushCount: Int, secondsBehind: Double) {
    self.bytes = bytes
    self.flushCount = flushCount
    self.secondsBehind = secondsBehind
  }
}
