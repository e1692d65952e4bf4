import FunnelStore
public import FunnelModel
public import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One file of input, or standard input.
public struct InputFile: Hashable, Sendable {
  /// The path as messages show it; `-` for standard input.
  public var path: String
  /// The size on the disk, in bytes, for progress; nil if it is unknown.
  public var byteCount: Int?
  /// The path that is opened without following a link below its base, or nil to open the file as the user named it, links included.
  public var place: StoragePath?
  /// The index of the file in the input.
  var number = 0

  /// Creates a file at a path.
  public init(path: String, byteCount: Int?) {
    self.path = path
    self.byteCount = byteCount
  }

  /// Creates a file in a folder that others may write to: no link to it is followed.
  public init(place: StoragePath, byteCount: Int?) {
    self.init(path: place.description, byteCount: byteCount)
    self.place = place
  }

  /// Whether this is standard input.
  public var isStandardInput: Bool { path == "-" }

  /// The endings of the files for which a directory is searched. A name that has `.json` further in front is one too (``isSearched(_:)``).
  private static let endings = [".ndjson", ".jsonl", ".json", ".csv", ".gz", ".zip"]

  /// Returns whether a directory is searched for files of this name: `*.ndjson`, `*.csv`, `*.gz`, `*.zip` and `*.json*`, such as
  /// `a.json_2026` and `a.json.1`, but not `a.json.bak` and `a.json~`, which are something else made of a file.
  public static func isSearched(_ name: String) -> Bool {
    if endings.contains(where: name.hasSuffix) { return true }
    guard let rest = name.split(separator: "/").last?.firstRange(of: ".json")?.upperBound else { return false }
    return !name.hasSuffix("~") && name[rest...].firstMatch(of: /\.[A-Za-z]/) == nil
  }

  /// Returns the part of a file's name that tells what is in it, such as `.ndjson.gz`; empty if there is none.
  public static func ending(of name: String) -> String {
    var ending = ""
    while let next = endings.first(where: name.dropLast(ending.count).hasSuffix) { ending = next + ending }
    return ending
  }

  /// Returns the files at the inputs a user named: files as they are, and the files in directories whose names are searched for
  /// (``isSearched(_:)``), sorted by path.
  ///
  /// - Throws: `noInput` for a path that is missing, can't be read, or is a directory without any such file; `unusableInput` for more
  ///   files, or more deeply nested folders, than ``Limits`` allow.
  public static func files(at inputs: [String]) throws(FunnelError) -> [InputFile] {
    var files: [InputFile] = []
    for input in inputs {
      try files.append(contentsOf: input == "-" ? [InputFile(path: "-", byteCount: nil)] : self.files(at: input))
      try requireFew(files.count, at: input)
    }
    return files
  }

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
    try addFiles(inDirectory: input, level: 0, to: &found)
    guard !found.isEmpty else {
      throw FunnelError(
        .noInput,
        "nothing to read, \(input.printable), the folder has no *.ndjson, *.json*, *.csv, *.gz or *.zip"
      )
    }
    return found
  }

  private static func requireFew(_ count: Int, at path: String) throws(FunnelError) {
    guard count <= Limits.inputFilesMax else {
      throw FunnelError(
        .unusableInput,
        "too many files, \(path.printable), one command reads at most \(Limits.inputFilesMax), read its folders in several commands"
      )
    }
  }

  /// Adds the files below a directory, sorted by path. Hidden files, links to directories, and files that are not regular are skipped, and
  /// so are stores and the journal of a store's log, whose lines are no events.
  private static func addFiles(
    inDirectory directory: String, level: Int, to files: inout [InputFile]
  ) throws(FunnelError) {
    guard level <= Limits.folderLevelsMax else {
      throw FunnelError(
        .unusableInput,
        "folders are nested deeper than \(Limits.folderLevelsMax) levels, \(directory.printable), name the inner ones instead"
      )
    }
    let names = try names(inDirectory: directory, known: files.count)
    let isLog = names.contains("journal.ndjson") && (directory.hasSuffix("log") || names.contains { $0.hasPrefix("dt=") })
    for name in names where !(isLog && name == "journal.ndjson") {
      let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else {
        // A file that was removed meanwhile is no loss, but one that can't be examined may be full of events.
        if errno == ENOENT { continue }
        throw FunnelError(.noInput, "can't read, \(path.printable), \(String(cString: strerror(errno)))")
      }
      if status.st_mode & S_IFMT == S_IFDIR {
        // The store itself may be in the folder that is searched: `funnel ingest .`
        if !StoreReader.isStore(path) { try addFiles(inDirectory: path, level: level + 1, to: &files) }
      } else if isSearched(name), stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        files.append(InputFile(path: path, byteCount: Int(status.st_size)))
        try requireFew(files.count, at: directory)
      }
    }
  }

  /// Returns the names in a directory that may be folders or files to read, sorted; `known` files were found before.
  private static func names(inDirectory directory: String, known: Int) throws(FunnelError) -> [String] {
    var count = known
    return try FolderListing.names(in: directory) { step, number in
      FunnelError(
        step == .open ? .noInput : .inputOutput, "can't read, \(directory.printable), \(String(cString: strerror(number)))")
    } where: { (entry) throws(FunnelError) in
      // Other files in the folder must not take up memory.
      let isWanted = entry.mayBeFolder || isSearched(entry.name)
      guard isWanted, !entry.name.hasPrefix(".") else { return false }
      // The file can't be opened by the decoded name, and skipping it would lose its events.
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
