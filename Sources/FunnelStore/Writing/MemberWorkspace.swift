import FunnelSystem

/// The reusable resources for encoding gzip members: a compressor, and a buffer for the lines of a member.
///
/// Not thread-safe. It is `Sendable` because ``MemberWorkspaces`` lends it to one thread at a time.
final class MemberWorkspace: @unchecked Sendable {
  let deflater: Deflater
  private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  init(_ compression: Deflater.Method) {
    deflater = Deflater(compression)
  }

  deinit { buffer.deallocate() }

  /// Returns an uninitialized buffer of `byteCount` bytes, which is valid until the next call.
  func room(for byteCount: Int) -> UnsafeMutableRawBufferPointer {
    if buffer.count < byteCount {
      buffer.deallocate()
      buffer = .allocate(byteCount: byteCount, alignment: 16)
    }
    return UnsafeMutableRawBufferPointer(rebasing: buffer[..<byteCount])
  }
}

/// The pool of a writer's workspaces. Thread-safe.
///
/// Workspaces take megabytes, so they are reused: the kernel would clear the memory of each new one.
final class MemberWorkspaces: Sendable {
  private let compression: Deflater.Method
  private let free = Guarded<[MemberWorkspace]>([])

  init(_ compression: Deflater.Method) {
    self.compression = compression
  }

  /// Acquires a workspace, creating one if all are in use. It returns to the pool when the result is released.
  func lend() -> LentWorkspace {
    LentWorkspace(free.withLock { $0.popLast() } ?? MemberWorkspace(compression), of: self)
  }

  /// Adds a workspace that is no longer in use.
  fileprivate func putBack(_ workspace: MemberWorkspace) {
    free.withLock { $0.append(workspace) }
  }
}

/// A workspace acquired from a pool. The workspace returns to the pool when the last reference to this object is released.
final class LentWorkspace {
  let workspace: MemberWorkspace
  private let pool: MemberWorkspaces

  fileprivate init(_ workspace: MemberWorkspace, of pool: MemberWorkspaces) {
    self.workspace = workspace
    self.pool = pool
  }

  deinit { pool.putBack(workspace) }
}
