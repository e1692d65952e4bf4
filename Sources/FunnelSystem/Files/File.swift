#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file or folder, closed when its last reference is released.
///
/// Errors of closing are ignored: data that has to be durable was fsynced before.
public final class File: Sendable {
  /// The descriptor, valid as long as this object lives.
  public let descriptor: Int32
  /// The path by which it was opened, for messages.
  public let path: StoragePath
  private let closes: Bool

  /// Takes ownership of a descriptor, unless `closes` is false.
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
