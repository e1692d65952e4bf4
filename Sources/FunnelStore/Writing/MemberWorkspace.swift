import FunnelSystem

/// What one thread needs to make members: a compressor, and room to gather a member's lines.
///
/// Not for several threads at once: ``MemberWorkspaces`` lends it to one after the other, which is why it may pass between them.
final class MemberWorkspace: @unchecked Sendable {
  let deflater: Deflater
  private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  init(_ compression: Deflater.Method) {
    deflater = Deflater(compression)
  }

  deinit { buffer.deallocate() }

  /// Room for so many bytes, good until it is asked for again.
  func room(for byteCount: Int) -> UnsafeMutableRawBufferPointer {
    if buffer.count < byteCount {
      buffer.deallocate()
      buffer = .allocate(byteCount: byteCount, alignment: 16)
    }
    return UnsafeMutableRawBufferPointer(rebasing: buffer[..<byteCount])
  }
}

/// The workspaces of a writer, kept from one commit to the next: what the kernel would have to clear anew each time is megabytes.
final class MemberWorkspaces: Sendable {
  private let compression: Deflater.Method
  private let free = Guarded<[MemberWorkspace]>([])

  init(_ compression: Deflater.Method) {
    self.compression = compression
  }

  /// A workspace nobody uses.
  func take() -> MemberWorkspace {
    free.withLock { $0.popLast() } ?? MemberWorkspace(compression)
  }

  /// Takes a workspace back.
  func giveBack(_ workspace: MemberWorkspace) {
    free.withLock { $0.append(workspace) }
  }
}
