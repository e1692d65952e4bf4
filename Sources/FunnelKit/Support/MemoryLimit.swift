import FunnelModel

/// The memory that a report may use. Events that exceed their share of it go to a temporary file.
package struct MemoryLimit: Hashable, Sendable {
  /// The smallest limit, in bytes.
  package static let bytesMin = 64 << 20
  /// The limit of ``Limits/memoryBytesMaxDefault`` bytes.
  package static let standard = MemoryLimit(bytes: Limits.memoryBytesMaxDefault)
  /// The memory for input buffers in bytes, independent of the limit.
  private static let bufferBytes = 48 << 20

  /// The limit in bytes.
  package let bytes: Int

  /// Creates a limit.
  ///
  /// - Precondition: `bytes` is at least ``bytesMin``.
  package init(bytes: Int) {
    precondition(bytes >= Self.bytesMin, "a report needs at least \(Self.bytesMin) bytes of memory")
    self.bytes = bytes
  }

  /// The memory for events in bytes: three quarters of what the buffers leave. The remainder is for sorting.
  package var eventBytes: Int { (bytes - Self.bufferBytes) / 4 * 3 }
}
