import FunnelIngest
import FunnelModel
import FunnelSystem

/// A folder where logs arrive.
struct NightlyInbox {
  /// A file that arrived.
  struct Arrival {
    /// Its place below the inbox: `2026/events.ndjson.gz`.
    var name: String
    /// What stood there when it was found; what stands there later may be another file, or a longer one.
    var status: FileStatus
    /// How it is read and what messages call it.
    var input: InputFile
  }

  /// What the inbox held.
  struct Contents {
    /// The files to ingest, sorted by path.
    var arrivals: [Arrival] = []
    /// What is named like a log and can't be read, and why.
    var unreadable: [(arrival: Arrival, reason: FunnelError)] = []
    /// Folders that can't be searched, and what is named so that it can't be reached.
    var closedFolders: [FunnelError] = []
    /// What is left where it is: hidden, still being uploaded, or not named like a log.
    var left = NightlyLeftFiles()
  }

  let root: StoragePath
  let fileSystem = LocalFileSystem()

  init(_ path: String) {
    root = StoragePath(path)
  }

  /// Everything in the inbox but in `done` and `failed`.
  ///
  /// No link is followed: whoever may upload must not make us read any file of the machine.
  ///
  /// - Throws: `usage` where a store lies in the inbox: its log must not be moved.
  func contents() throws(FunnelError) -> Contents {
    var contents = Contents()
    try search("", level: 0, into: &contents)
    return contents
  }

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
        contents.left.add(path, .hidden)
        continue
      }
      guard let status = try fileSystem.status(of: root.inside(path)) else {
        // It was taken away meanwhile, or its name is no UTF-8: then it can't be reached by what is left of that.
        if name.contains("\u{FFFD}") {
          contents.closedFolders.append(
            FunnelError(
              .unusableInput, "can't read, \(root.inside(path).description.printable), its name is no UTF-8, rename it"))
        }
        continue
      }
      let isUploading = Self.uploadingEndings.contains(where: name.hasSuffix)
      if isUploading {
        contents.left.add(path, .uploading)
      } else if status.kind == .directory {
        try search(path, level: level + 1, into: &contents)
      } else if !InputFile.endings.contains(where: name.hasSuffix) {
        contents.left.add(path, .notALog)
      } else if contents.arrivals.count >= Limits.inputFilesMax {
        contents.left.add(path, .tooMany)
      } else {
        examine(Arrival(name: path, status: status, input: input(path, status)), into: &contents)
      }
    }
  }

  private func examine(_ arrival: Arrival, into contents: inout Contents) {
    guard arrival.status.kind == .file else {
      let path = arrival.input.path.printable
      return contents.unreadable.append(
        (arrival, FunnelError(.unusableInput, "a link or device, \(path), no link is followed here, put the file itself there"))
      )
    }
    do throws(FunnelError) {
      _ = try fileSystem.open(root.inside(arrival.name), for: .read)
      contents.arrivals.append(arrival)
    } catch {
      contents.unreadable.append((arrival, error))
    }
  }

  private func input(_ name: String, _ status: FileStatus) -> InputFile {
    InputFile(place: root.inside(name), byteCount: status.kind == .file ? status.size : nil)
  }

  private static func isFolderOfOurs(_ name: String, in folder: String) -> Bool {
    folder.isEmpty && Destination(rawValue: name) != nil
  }

  private static let uploadingEndings = [".tmp", ".part", ".partial", "~"]
}
