/// A file of blanks that keeps room for the state on a full disk.
///
/// Overwriting its bytes needs no further room on most file systems, and neither does giving it another name. So an opt-out, a logout and a
/// new subject are stored on a full disk, and survive a kill.
struct SpareFile {
  private let path: String
  private let write: SystemCalls.Write

  /// The size of the file, the unit in which file systems give room.
  private static let byteCount = 4096

  /// Creates a reference to a file, which need not exist.
  init(_ path: String, write: @escaping SystemCalls.Write) {
    self.path = path
    self.write = write
  }

  /// Creates the file if it does not exist. Without room, there is none until the next call.
  func reserve() {
    guard SystemCalls.size(of: path) == nil else { return }
    try? SystemCalls.replace(path, with: Self.blanks(Self.byteCount), write: write)
  }

  /// Replaces the contents of another file atomically with bytes in the room of this file. The room of the other file becomes that of this
  /// one.
  ///
  /// - Returns: Whether that succeeded. It fails if the file does not exist or the bytes are too many.
  func replace(_ target: String, with bytes: [UInt8]) -> Bool {
    guard bytes.count <= Self.byteCount else { return false }
    // The remainder of earlier contents becomes blanks, which JSON allows at its end.
    let padded = bytes + Self.blanks(max(0, (SystemCalls.size(of: path) ?? 0) - bytes.count))
    guard SystemCalls.overwrite(path, with: padded) else { return false }
    let replaced = path + SystemCalls.temporarySuffix
    SystemCalls.remove(replaced)
    SystemCalls.link(target, as: replaced)
    guard (try? SystemCalls.rename(path, to: target)) != nil else { return false }
    guard (try? SystemCalls.rename(replaced, to: path)) != nil else { return true }
    // The earlier contents may name a person.
    _ = SystemCalls.overwrite(path, with: Self.blanks(SystemCalls.size(of: path) ?? 0))
    return true
  }

  private static func blanks(_ count: Int) -> [UInt8] { [UInt8](repeating: UInt8(ascii: " "), count: count) }
}
