import FunnelImport
import FunnelStore
package import FunnelModel
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension InputFile {
  /// Returns the input files at some paths, in the order of the paths.
  ///
  /// - Parameter inputs: The paths of files and directories, or `-` for standard input. A directory is searched
  ///   recursively for names that ``isSearched(_:)`` accepts. Its files are sorted by path.
  /// - Throws: `noInput` if a path is missing, can't be read, or is a directory without inputs. `unusableInput`
  ///   if there are more files, or more deeply nested folders, than ``Limits`` allows.
  package static func files(at inputs: [String]) throws(FunnelError) -> [InputFile] {
    var files: [InputFile] = []
    for input in inputs {
      try files.append(contentsOf: input == "-" ? [InputFile(path: "-", byteCount: nil)] : self.files(at: input))
      try requireFew(files.count, at: input)
    }
    return files
  }

  /// Returns the input files at one path.
  private static func files(at input: String) throws(FunnelError) -> [InputFile] {
    var status = stat()
    guard stat(input, &status) == 0 else {
      let reason = String(cString: strerror(errno))
      let advice = input.contains("\u{FFFD}") ? "rename it if its name is not valid UTF-8" : "check the path"
      throw FunnelError(.noInput, "no such input, \(input.printable), \(reason), \(advice)")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      guard access(input, R_OK) == 0 else {
        throw FunnelError(.noInput, "can't read, \(input.printable), \(String(cString: strerror(errno)))")
      }
      let isRegular = status.st_mode & S_IFMT == S_IFREG
      return [InputFile(path: input, byteCount: isRegular ? Int(status.st_size) : nil)]
    }
    guard !StoreReader.isStore(input) else {
      throw FunnelError(
        .noInput, "a store can't be used as input, \(input.printable), read it with --store, or name its log folder")
    }
    var found: [InputFile] = []
    var passedOver = PassedOverFiles()
    try addFiles(inDirectory: input, level: 0, to: &found, passingOver: &passedOver)
    guard !found.isEmpty else {
      throw FunnelError(.noInput, "nothing to read, \(input.printable), the folder has no \(searchedNames)")
    }
    found[0].passedOver = passedOver
    return found
  }

  /// Whether the name of a file is that of a spreadsheet, which is a zip of XML.
  static func isSpreadsheet(_ path: String) -> Bool {
    [".xlsx", ".xlsm", ".ods", ".numbers"].contains { path.lowercased().hasSuffix($0) }
  }

  /// Throws if there are too many files.
  private static func requireFew(_ count: Int, at path: String) throws(FunnelError) {
    guard count <= Limits.inputFilesMax else {
      throw FunnelError(
        .unusableInput,
        "too many files, \(path.printable), one command reads at most \(Limits.inputFilesMax), read its folders in several commands"
      )
    }
  }

  /// Appends the input files in a directory and its subdirectories, sorted by path.
  ///
  /// It skips hidden files, links to directories, files that are not regular, stores, and the journal in a
  /// store's log folder, whose lines are not events.
  private static func addFiles(
    inDirectory directory: String, level: Int, to files: inout [InputFile], passingOver passedOver: inout PassedOverFiles
  ) throws(FunnelError) {
    guard level <= Limits.folderLevelsMax else {
      throw FunnelError(
        .unusableInput,
        "folders are nested deeper than \(Limits.folderLevelsMax) levels, \(directory.printable), name the inner ones instead"
      )
    }
    let names = try names(inDirectory: directory, known: files.count, passingOver: &passedOver)
    let isLog = names.contains("journal.ndjson") && (directory.hasSuffix("log") || names.contains { $0.hasPrefix("dt=") })
    for name in names where !(isLog && name == "journal.ndjson") {
      let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else {
        // A file that was removed meanwhile is skipped. One that can't be examined may contain events.
        if errno == ENOENT { continue }
        throw FunnelError(.noInput, "can't read, \(path.printable), \(String(cString: strerror(errno)))")
      }
      if status.st_mode & S_IFMT == S_IFDIR {
        // The store may be in the folder that is searched, as in `funnel ingest .`.
        if !StoreReader.isStore(path) {
          try addFiles(inDirectory: path, level: level + 1, to: &files, passingOver: &passedOver)
        }
      } else if isSearched(name), stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        var file = InputFile(path: path, byteCount: Int(status.st_size))
        file.isFound = true
        files.append(file)
        try requireFew(files.count, at: directory)
      }
    }
  }

  /// Returns the sorted names in a directory that may be input files or folders.
  ///
  /// - Parameter known: The number of files that were found before, which counts towards the limit.
  private static func names(
    inDirectory directory: String, known: Int, passingOver passedOver: inout PassedOverFiles
  ) throws(FunnelError) -> [String] {
    var count = known
    return try FolderListing.names(in: directory) { step, number in
      FunnelError(
        step == .open ? .noInput : .inputOutput, "can't read, \(directory.printable), \(String(cString: strerror(number)))")
    } where: { (entry) throws(FunnelError) in
      // The names of other files must not take memory: there may be millions.
      if entry.name.hasPrefix(".") { return false }
      guard entry.mayBeFolder || isSearched(entry.name) else {
        passedOver.add(directory.hasSuffix("/") ? directory + entry.name : "\(directory)/\(entry.name)")
        return false
      }
      // The file can't be opened by a name that is not valid UTF-8, and skipping it would lose its events.
      guard entry.hasTextName else {
        throw FunnelError(
          .noInput, "can't read, \(directory.printable)/\(entry.name.printable), its name is not valid UTF-8, rename it")
      }
      count += 1
      try requireFew(count, at: directory)
      return true
    }
  }
}
