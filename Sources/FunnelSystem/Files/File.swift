#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file or folder, whose descriptor is closed when the last reference is released.
public final class File: Sendable {
  /// The descriptor, valid as long as this object lives.
  public let descriptor: Int32
  /// The path by which the file was opened, for messages.
  public let path: StoragePath
  /// Whether the descriptor is closed with this object.
  private let closes: Bool

  /// Creates the object of an open file. It owns the descriptor unless `closes` is `false`.
  public init(descriptor: Int32, path: StoragePath, closes: Bool = true) {
    self.descriptor = descriptor
    self.path = path
    self.closes = closes
  }

  deinit {
    // Errors are ignored: data that has to be durable was flushed before.
    if closes { _ = close(descriptor) }
  }

  /// Standard input, which stays open.
  public static let standardInput = File(descriptor: 0, path: StoragePath("standard input"), closes: false)
}
