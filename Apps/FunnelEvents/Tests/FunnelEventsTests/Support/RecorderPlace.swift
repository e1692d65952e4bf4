import FunnelEvents
import Foundation

/// A folder with the files of recorders, which tests create, close and look into.
final class RecorderPlace: Sendable {
  let folder: TemporaryFolder
  let time = ManualTime()
  let problems = Guarded<[EventRecorderError]>([])

  init() throws { folder = try TemporaryFolder(isInMemory: true) }

  init(_ folder: TemporaryFolder) { self.folder = folder }

  /// Returns a place with a copy of the folder, as another process would find it after a kill.
  func copy() throws -> RecorderPlace { RecorderPlace(try folder.copy()) }

  /// Returns a configuration in this folder, at this place's time.
  ///
  /// The recorder delivers only what the test closes, and fills in no context, which is that of the machine.
  func configuration(app: String = "cleaner") -> EventRecorder.Configuration {
    var configuration = EventRecorder.Configuration(
      app: app, subject: "install-1", directory: URL(fileURLWithPath: folder.path))
    configuration.flushInterval = .infinity
    configuration.flushEventCount = .max
    configuration.fillsContext = false
    configuration.clock = { [time] in time.now }
    configuration.sleep = { [time] in try await time.sleep($0) }
    configuration.onProblem = { [weak self] problem in self?.problems.withLock { $0.append(problem) } }
    return configuration
  }

  func recorder(_ change: (inout EventRecorder.Configuration) -> Void = { _ in }) throws -> EventRecorder {
    var configuration = configuration()
    change(&configuration)
    return try EventRecorder(configuration)
  }

  var problemCodes: [EventRecorderError.Code] { problems.withLock { $0.map(\.code) } }

  /// The names of the event files, in their order.
  func eventFiles() throws -> [String] { try folder.files().filter { $0.hasPrefix("open-") || $0.hasPrefix("events-") } }

  /// The lines of all event files, in the order of the files: closed ones before open ones.
  func lines() throws -> [String] {
    try eventFiles().sorted { ($0.hasPrefix("open-") ? 1 : 0, $0) < ($1.hasPrefix("open-") ? 1 : 0, $1) }.flatMap { name in
      let bytes = try name.hasSuffix(".gz") ? gunzip(folder.path(name)) : folder.contents(name)
      return bytes.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// The lines that are whole JSON objects.
  func events() throws -> [JSONNode] {
    try lines().compactMap(JSONNode.init)
  }

  /// The numbers of the whole events, in the order of the files.
  func sequences() throws -> [Int] { try events().compactMap(\.sequence) }
}

/// Returns the lines of a closed file, which is compressed if its name says so.
func eventText(of file: URL) throws -> String {
  let bytes = try file.pathExtension == "gz" ? gunzip(file.path) : [UInt8](Data(contentsOf: file))
  return String(decoding: bytes, as: UTF8.self)
}

/// Returns what `gzip -dc` makes of a file, which it must find sound.
func gunzip(_ path: String) throws -> [UInt8] {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = ["gzip", "-dc", path]
  let pipe = Pipe()
  process.standardOutput = pipe
  try process.run()
  let bytes = [UInt8](pipe.fileHandleForReading.readDataToEndOfFile())
  process.waitUntilExit()
  struct Damaged: Error { var path: String }
  guard process.terminationStatus == 0 else { throw Damaged(path: path) }
  return bytes
}

/// Waits until something is true that other tasks bring about. Returns false if it is not within a minute.
func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
  for _ in 0..<6000 {
    if try await condition() { return true }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return false
}
