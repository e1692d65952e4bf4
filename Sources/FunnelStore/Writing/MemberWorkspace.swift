import FunnelSystem

/// The resources one thread needs to make members: a compressor, and a buffer in which a member's lines are gathered.
///
/// A workspace must not be used by several threads at once. It may be passed between them because ``MemberWorkspaces`` lends it to one at a
/// time.
final class MemberWorkspace: @unchecked Sendable {
  let deflater: Deflater
  private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  init(_ compression: Deflater.Method) {
    deflater = Deflater(compression)
  }

  deinit { buffer.deallocate() }

  /// Returns a buffer of `byteCount` bytes that is valid until the next call.
  func room(for byteCount: Int) -> UnsafeMutableRawBufferPointer {
    if buffer.count < byteCount {
      buffer.deallocate()
      buffer = .allocate(byteCount: byteCount, alignment: 16)
    }
    return UnsafeMutableRawBufferPointer(rebasing: buffer[..<byteCount])
  }
}

/// The workspaces of a writer, reused from one commit to the next: they take megabytes, which the kernel would have to clear for each new
/// allocation.
final class MemberWorkspaces: Sendable {
  private let compression: Deflater.Method
  private let free = Guarded<[MemberWorkspace]>([])

  init(_ compression: Deflater.Method) {
    self.compression = compression
  }

  /// Lends a workspace that is not in use.
  func lend() -> LentWorkspace {
    LentWorkspace(free.withLock { $0.popLast() } ?? MemberWorkspace(compression), of: self)
  }

  fileprivate func giveBack(_ workspace: MemberWorkspace) {
    free.withLock { $0.append(workspace) }
  }
}

/// A workspace on loan to one thread. It returns to its pool when the last reference to the loan is released.
final class LentWorkspace {
  let workspace: MemberWorkspace
  private let pool: MemberWorkspaces

  fileprivate init(_ workspace: MemberWorkspace, of pool: MemberWorkspaces) {
    (self.workspace, self.pool) = (workspace, pool)
  }

  deinit { pool.giveBack(workspace) }
}
