import Foundation

/// One execution of the real binary, with its exit code and its output.
struct FunnelRun {
  var status: Int32
  var output: String
  var errors: String

  /// Runs `funnel` with these arguments in the folder `directory`.
  init(_ arguments: String..., directory: URL? = nil, environment: [String: String] = [:]) throws {
    try self.init(arguments: arguments, directory: directory, environment: environment)
  }

  /// Runs `funnel` with these arguments in the folder `directory`, with `input` on its standard input.
  init(
    arguments: [String], directory: URL? = nil, environment: [String: String] = [:], input: String = ""
  ) throws {
    try self.init(Self.executable, arguments, directory, environment, input)
  }

  /// Runs a shell script that finds the binary as `$FUNNEL`.
  init(shell script: String, directory: URL? = nil) throws {
    try self.init(URL(filePath: "/bin/bash"), ["-c", script], directory, ["FUNNEL": Self.executable.path], "")
  }

  private init(
    _ executable: URL, _ arguments: [String], _ directory: URL?, _ environment: [String: String], _ input: String
  ) throws {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    if let directory { process.currentDirectoryURL = directory }
    // These are files, because a full pipe that nobody reads would block the process.
    let folder = FileManager.default.temporaryDirectory.appending(path: "funnel-run-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = ["output", "errors"].map { folder.appending(path: $0) }
    for file in files { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
    try Data(input.utf8).write(to: folder.appending(path: "input"))
    process.standardInput = try FileHandle(forReadingFrom: folder.appending(path: "input"))
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.run()
    process.waitUntilExit()
    status = process.terminationStatus
    output = try String(contentsOf: files[0], encoding: .utf8)
    errors = try String(contentsOf: files[1], encoding: .utf8)
  }

  /// The binary, which is in the same folder as the tests' own.
  static let executable: URL = {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      let folder = bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    #else
      let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    #endif
    return folder.appending(path: "funnel")
  }()
}
