package import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Converts an `errno` to a ``FunnelError``, whose message is a sentence with the path, the reason and a remedy.
enum SystemFailure {
  /// The attempted operation. The raw value is its verb in the sentence.
  enum Attempt: String {
    case read, list, write, create, rename, remove, lock
    case flush = "flush to the disk"
    case truncate = "cut"
    case examine = "look at"
  }

  /// Returns the error for a failed attempt; `number` is an `errno`.
  static func error(_ attempt: Attempt, _ path: StoragePath, _ number: Int32) -> FunnelError {
    // A socket, or a device without a driver, can be examined but not opened.
    if number == ENXIO, !path.inside.isEmpty { return notRegular(attempt, path) }
    return FunnelError(
      code(attempt, path, number),
      "cannot \(attempt.rawValue) \(path): \(String(cString: strerror(number))), \(remedy(number, attempt))")
  }

  /// Returns the error for a component of a path that should be a folder, but is a file or a link.
  static func noFolder(_ attempt: Attempt, _ path: StoragePath) -> FunnelError {
    FunnelError(
      [.read, .list, .examine].contains(attempt) ? .inputOutput : .cannotCreate,
      "cannot \(attempt.rawValue) \(path): \(String(cString: strerror(ENOTDIR))), \(remedy(ENOTDIR, attempt))")
  }

  /// Returns the error for a path that should be a regular file, but is a folder, a link or a device.
  static func notRegular(_ attempt: Attempt, _ path: StoragePath) -> FunnelError {
    FunnelError(
      attempt == .read ? .inputOutput : .cannotCreate,
      "cannot \(attempt.rawValue) \(path): it is not a regular file, put the real file there")
  }

  /// Returns the error for a file that is to be written and has a hard link.
  static func hardLinked(_ path: StoragePath) -> FunnelError {
    FunnelError(
      .cannotCreate,
      "cannot write \(path): the file has a second name (a hard link) that would change with it, replace it with a copy")
  }

  private static func code(_ attempt: Attempt, _ path: StoragePath, _ number: Int32) -> FunnelError.Code {
    switch number {
    case ENOSPC, EDQUOT, EIO, EMFILE, ENFILE, ENOMEM: return .inputOutput
    // A link inside a store is damage. It must not be reported as missing input.
    case ELOOP where !path.inside.isEmpty && [.read, .list, .examine].contains(attempt): return .inputOutput
    case ELOOP: return .cannotCreate
    default: break
    }
    switch attempt {
    case .read, .list, .examine: return .noInput
    case .create: return .cannotCreate
    case .write, .rename, .remove, .lock, .truncate, .flush:
      return [EACCES, EPERM, EROFS, EISDIR, ENOTDIR, ENOENT].contains(number) ? .cannotCreate : .inputOutput
    }
  }

  /// The end of a remedy for a command, which a server has no use for.
  fileprivate static let commandAgain = " and run the command again"

  private static func remedy(_ number: Int32, _ attempt: Attempt) -> String {
    switch number {
    case ENOENT: attempt == .create ? "create its folder first" : "check the path"
    case EACCES, EPERM: "check the permissions"
    case EROFS: "choose a writable place"
    case ENOSPC, EDQUOT: "free some space" + commandAgain
    case EFBIG: "raise the limit of the file size (ulimit -f)" + commandAgain
    case EMFILE, ENFILE: "raise the limit of open files (ulimit -n)"
    case ELOOP: "it is a link, which is not allowed inside a store: put the real file there"
    case ENOTDIR: "part of the path is a file or a link instead of a folder"
    case EISDIR: "it is a folder: name a file"
    case EEXIST: "choose another name"
    default: "check the disk" + commandAgain
    }
  }
}

extension FunnelError {
  /// The message for the operator of a server, which tries again by itself: without the advice to run the command again.
  package var messageOfServer: String {
    guard message.hasSuffix(SystemFailure.commandAgain) else { return message }
    return String(message.dropLast(SystemFailure.commandAgain.count))
  }
}
