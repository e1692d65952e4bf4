public import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One file of input, or standard input.
public struct InputFile: Hashable, Sendable {
  /// The path as messages show it; `-` for standard input.
  public var path: String
  /// Bytes on the disk, for progress; nil where nobody knows.
  public var byteCount: Int?

  /// A file at a path.
  public init(path: String, byteCount: Int?) {
    self.path = path
    self.byteCount = byteCount
  }

  /// Whether this is standard input.
  public var isStandardInput: Bool { path == "-" }

  /// The endings of files a directory is searched for.
  public static let endings = ["ndjson", "jsonl", "json"].flatMap { [".\($0)", ".\($0).gz"] }

  /// The files behind the inputs a user named: files as they are, directories searched for ``endings``, sorted by path.
  ///
  /// - Throws: `noInput` for a path that is not there, can't be read, or is a directory without any such file.
  public static func files(at inputs: [String]) throws(FunnelError) -> [InputFile] {
    var files: [InputFile] = []
    for input in inputs {
      if input == "-" {
        files.append(InputFile(path: "-", byteCount: nil))
        continue
      }
      var status = stat()
      guard stat(input, &status) == 0 else {
        throw FunnelError(.noInput, "no such input, \(input.printable), \(String(cString: strerror(errno)))")
      }
      if status.st_mode & S_IFMT == S_IFDIR {
        guard !isStore(input) else {
          throw FunnelError(.noInput, "a store is no input, \(input.printable), read it with --store, or name its log folder")
        }
        let found = try filesInDirectory(input)
        guard !found.isEmpty else {
          throw FunnelError(
            .noInput,
            "nothing to read, \(input.printable), the directory holds no *.ndjson, *.jsonl or *.json (nor any of them with .gz)"
          )
        }
        files += found
      } else {
        guard access(input, R_OK) == 0 else {
          throw FunnelError(.noInput, "can't read, \(input.printable), \(String(cString: strerror(errno)))")
        }
        let isRegular = status.st_mode & S_IFMT == S_IFREG
        files.append(InputFile(path: input, byteCount: isRegular ? Int(status.st_size) : nil))
      }
    }
    return files
  }

  private static func isStore(_ directory: String) -> Bool {
    access("\(directory)/log/journal.ndjson", F_OK) == 0
  }

  /// The files below a directory by path. Hidden ones, links to directories, and what is no regular file are passed over, and so are
  /// stores, and the journal of a store's log, whose lines are no events.
  private static func filesInDirectory(_ directory: String) throws(FunnelError) -> [InputFile] {
    guard let handle = opendir(directory) else {
      throw FunnelError(.noInput, "can't read, \(directory.printable), \(String(cString: strerror(errno)))")
    }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let isLog = names.contains("journal.ndjson") && (directory.hasSuffix("log") || names.contains { $0.hasPrefix("dt=") })
    var files: [InputFile] = []
    for name in names where !(isLog && name == "journal.ndjson") {
      let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        // The store itself may lie in the folder that is searched: `funnel ingest .`
        if !isStore(path) { files += try filesInDirectory(path) }
      } else if endings.contains(where: name.hasSuffix), stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        files.append(InputFile(path: path, byteCount: Int(status.st_size)))
      }
    }
    return files
  }
}
