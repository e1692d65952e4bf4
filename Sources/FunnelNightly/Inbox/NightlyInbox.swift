import FunnelIngest
import FunnelModel
import FunnelSystem

/// The inbox of `funnel nightly`: a folder where log files arrive.
package struct NightlyInbox {
  /// A file that arrived.
  struct Arrival {
    /// The path relative to the inbox, for example `2026/events.ndjson.gz`.
    var name: String
    /// The file's status when it was found. It is compared before the file is moved, because the file may have
    /// changed by then.
    var status: FileStatus
    /// The file as an input, with its name for messages.
    var input: InputFile
    /// Whether the file is already in `done` and grew after it was ingested.
    var isTaken = false
  }

  /// The contents of the inbox.
  struct Contents {
    /// The files to ingest, sorted by path.
    var arrivals: [Arrival] = []
    /// Files that are named like a log but cannot be read, each with the error.
    var unreadable: [(arrival: Arrival, reason: FunnelError)] = []
    /// Errors for folders that cannot be searched and names that cannot be accessed.
    var closedFolders: [FunnelError] = []
    /// Files that are left in place: hidden, still being uploaded, or not logs.
    var left = NightlyLeftFiles()
  }

  let root: StoragePath
  let fileSystem = LocalFileSystem()

  package init(_ path: String) {
    root = StoragePath(path)
  }

  /// Returns the contents of the inbox without `done` and `failed`. Does not follow links.
  ///
  /// - Parameter completeness: The criteria for files that may be incomplete, which are left.
  /// - Throws: `usage` if a store is in the inbox, because its log must not be moved.
  func contents(_ completeness: CompletenessCriteria) throws(FunnelError) -> Contents {
    // With links, a user who may upload could make the run read any file of the machine.
    var contents = Contents()
    try search("", level: 0, into: &contents)
    try leaveIncomplete(&contents, completeness)
    return contents
  }

  /// Adds the contents of a folder and of its subfolders.
  private func search(_ folder: String, level: Int, into contents: inout Contents) throws(FunnelError) {
    let names: [String]
    do throws(FunnelError) {
      guard level <= Limits.folderLevelsMax else {
        throw FunnelError(
          .unusableInput,
          "folders are nested deeper than \(Limits.folderLevelsMax) levels, \(root.inside(folder).description.printable), move the inner ones up"
        )
      }
      names = try fileSystem.list(root.inside(folder))
    } catch {
      contents.closedFolders.append(error)
      return
    }
    try refuseStore(in: folder, names: names)
    for name in names where !Self.isFolderOfOurs(name, in: folder) {
      let path = folder.isEmpty ? name : "\(folder)/\(name)"
      guard !name.hasPrefix(".") else {
        // The lock of `funnel collect`, whose spool the inbox is, is no file that somebody forgot.
        if !name.hasPrefix(".collect.") { contents.left.add(path, .hidden) }
        continue
      }
      guard let status = try fileSystem.status(of: root.inside(path)) else {
        // The file has been removed in the meantime, or its name is not UTF-8 and the decoded name does not refer to it.
        if name.contains("\u{FFFD}") {
          contents.closedFolders.append(
            FunnelError(
              .unusableInput, "can't read, \(root.inside(path).description.printable), its name is not valid UTF-8, rename it"))
        }
        continue
      }
      let isUploading = Self.uploadingEndings.contains(where: name.hasSuffix)
      if isUploading {
        contents.left.add(path, .uploading)
      } else if status.kind == .directory {
        try search(path, level: level + 1, into: &contents)
      } else if !InputFile.isSearched(name) {
        contents.left.add(path, .notALog)
      } else if contents.arrivals.count >= Limits.inputFilesMax {
        contents.left.add(path, .tooMany)
      } else {
        examine(Arrival(name: path, status: status, input: input(path, status)), into: &contents)
      }
    }
  }

  /// Adds a file as an arrival, or as unreadable.
  private func examine(_ arrival: Arrival, into contents: inout Contents) {
    guard arrival.status.kind == .file else {
      let path = arrival.input.path.printable
      return contents.unreadable.append(
        (
          arrival,
          FunnelError(.unusableInput, "a link or device, \(path), links are not followed here, put the file itself there")
        )
      )
    }
    do throws(FunnelError) {
      _ = try fileSystem.open(root.inside(arrival.name), for: .read)
      if try arrival.input.holdsProse() { return contents.left.add(arrival.name, .notALog) }
      contents.arrivals.append(arrival)
    } catch {
      contents.unreadable.append((arrival, error))
    }
  }

  /// Returns the input for a file with a path relative to the inbox.
  func input(_ name: String, _ status: FileStatus) -> InputFile {
    InputFile(place: root.inside(name), byteCount: status.kind == .file ? status.size : nil)
  }

  /// Returns the absolute path, with links resolved, of a path relative to the inbox. ``TakenFiles`` identifies files by it.
  func absolutePath(of name: String) -> String { "\(SystemPath.resolvingLinks(root.description))/\(name)" }

  /// Returns the path relative to the inbox of an absolute path, which must be inside the inbox.
  func name(ofAbsolutePath path: String) -> String { String(path.dropFirst(absolutePath(of: "").count)) }

  /// Whether a name in a folder is that of `done` or `failed`.
  private static func isFolderOfOurs(_ name: String, in folder: String) -> Bool {
    folder.isEmpty && Destination(rawValue: name) != nil
  }

  /// The name suffixes of files that are being uploaded.
  private static let uploadingEndings = [".tmp", ".part", ".partial", "~"]
}
