#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file or folder, whose descriptor is closed when the last reference is released.
package final class File: Sendable {
  /// The descriptor, valid as long as this object lives.
  package let descriptor: Int32
  /// The path by which the file was opened, for messages.
  package let path: StoragePath
  /// Whether the descriptor is closed with this object.
  private let closes: Bool

  /// Creates the object of an open file. It owns the descriptor unless `closes` is `false`.
  package init(descriptor: Int32, path: StoragePath, closes: Bool = true) {
    self.descriptor = descriptor
    self.path = path
    self.closes = closes
  }

  deinit {
    // Errors are ignored: data that has to be durable was flushed before.
    if closes { _ = close(descriptor) }
  }

  /// Standard input, which stays open.
  package static let standardInput = File(descriptor: 0, path: StoragePath("standard input"), closes: false)
}

/// The purpose for which a file is opened.
package enum FileAccess: Hashable, Sendable {
  /// Reading.
  case read
  /// Reading and writing an existing file.
  case update
  /// Reading and writing a file that is created if it is missing, for its owner only (0600).
  case updateOrCreate
  /// Reading and writing a new file; opening fails if the name is taken.
  case create(FilePermissions)
  /// Writing to an existing pipe, terminal or device.
  case stream
}

/// The users who may access a newly created file.
package enum FilePermissions: Hashable, Sendable {
  /// The owner only (0600): for files in a store.
  case owner
  /// Everyone the user's umask admits: for files the user asked for.
  case shared
}

/// The status of the file or folder at a path.
package struct FileStatus: Hashable, Sendable {
  /// The kind of a file.
  package enum Kind: Hashable, Sendable {
    case file, directory, link, other
  }

  /// The numbers that identify a file on this machine as long as it exists.
  package struct Identity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    package init(device: UInt64, inode: UInt64) {
      self.device = device
      self.inode = inode
    }
  }

  package let kind: Kind
  /// The length in bytes.
  package let size: Int
  package let identity: Identity
  /// Whether the file belongs to this user and other users may read, write or execute it.
  package let isOwnAndExposed: Bool

  package init(kind: Kind, size: Int, identity: Identity, isOwnAndExposed: Bool = false) {
    self.kind = kind
    self.size = size
    self.identity = identity
    self.isOwnAndExposed = isOwnAndExposed
  }
}
