package import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An entry of a folder, as returned by `readdir`.
package struct FolderEntry {
  /// The name, in which a replacement character stands for bytes that are not UTF-8.
  package var name: String
  /// Whether the name is valid UTF-8. If not, the file can't be opened by ``name``.
  package var hasTextName: Bool
  /// Whether the entry is a folder, or its kind is not recorded in the folder.
  package var mayBeFolder: Bool
}

/// Lists the entries of folders.
package enum FolderListing {
  /// The system call that failed.
  package enum Step {
    case open, read
  }

  /// Returns the names of the wanted entries of a folder, sorted by their bytes, never `.` and `..`.
  ///
  /// - Parameters:
  ///   - path: The path of the folder; links in it are followed.
  ///   - failure: A closure that returns the error for a failed call and its `errno`.
  ///   - isWanted: A closure that returns whether an entry is wanted. It is called in no particular order.
  /// - Throws: The errors of `failure` and `isWanted`.
  package static func names(
    in path: String, failure: (Step, Int32) -> FunnelError,
    where isWanted: (FolderEntry) throws(FunnelError) -> Bool = { _ in true }
  ) throws(FunnelError) -> [String] {
    let descriptor = retried { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw failure(.open, errno) }
    return try names(inOpen: descriptor, failure: failure, where: isWanted)
  }

  /// Returns the names of the wanted entries of an open folder. Closes the descriptor.
  static func names(
    inOpen descriptor: Int32, failure: (Step, Int32) -> FunnelError,
    where isWanted: (FolderEntry) throws(FunnelError) -> Bool = { _ in true }
  ) throws(FunnelError) -> [String] {
    var names: [String] = []
    try SystemCalls.forEachEntry(inOpen: descriptor, failure: failure) { (entry) throws(FunnelError) in
      if entry.name != ".", entry.name != "..", try isWanted(entry) { names.append(entry.name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
