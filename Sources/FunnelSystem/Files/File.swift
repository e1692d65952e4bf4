#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file or folder; closed when the last reference to it goes.
///
/// What can be lost by a close was made safe by an fsync before, or is not meant to last: so a close that fails is no news.
public final class File: Sendable {
  /// The descriptor, valid as long as this object lives.
  public let descriptor: Int32
  /// Where it was opened, for messages.
  public let path: StoragePath
  private let closes: Bool

  /// Takes over a descriptor.
  public init(descriptor: Int32, path: StoragePath, closes: Bool = true) {
    self.descriptor = descriptor
    self.path = path
    self.closes = closes
  }

  deinit {
    if closes { _ = close(descriptor) }
  }

  /// Standard input, which stays open.
  public static let standardInput = File(descriptor: 0, path: StoragePath("standard input"), closes: false)
}
