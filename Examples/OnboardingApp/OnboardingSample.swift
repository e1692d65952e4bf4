import Foundation
import FunnelEvents

/// Walks invented users through the cleaner's permission flow, each with a recorder of their own, and "uploads" their files to a folder.
///
///     OnboardingSample FOLDER [USERS]
@main
struct OnboardingSample {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.first, let count = Int(arguments.dropFirst().first ?? "40"), count > 0 else {
      print("usage: OnboardingSample FOLDER [USERS]")
      exit(64)
    }
    let folder = URL(fileURLWithPath: path)
    let inbox = folder.appendingPathComponent("inbox")
    try FileManager.default.createDirectory(at: inbox, withIntermediateDirectories: true)
    var eventCount = 0
    for number in 0..<count { eventCount += try await launch(User(number: number), folder: folder, inbox: inbox) }
    print("\(count) users, \(eventCount) events, in \(path)/inbox")
  }

  /// Launches the app for a user, who goes through the flow, and returns the number of events.
  private static func launch(_ user: User, folder: URL, inbox: URL) async throws -> Int {
    let clock = InventedClock(start: user.firstLaunch)
    var configuration = EventRecorder.Configuration(
      app: CleanerPermissionsFlow.app, subject: user.id, directory: folder.appendingPathComponent("phones/\(user.id)")
    ) { file in
      // A real app has an HTTPUploader instead. The name tells phones and installs apart; this one shows whose file it is.
      let copy = inbox.appendingPathComponent("\(user.id)-\(file.url.lastPathComponent)")
      do {
        if !FileManager.default.fileExists(atPath: copy.path) { try FileManager.default.copyItem(at: file.url, to: copy) }
        return .delivered
      } catch {
        return .retry(after: .automatic, reason: "\(error)")
      }
    }
    // An invented phone has no system that could tell these.
    configuration.fillsContext = false
    configuration.context = ["app_version": "5.2.1", "os": "ios", "variant": .string(user.variant)]
    configuration.clock = { clock.now }
    configuration.onProblem = { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
    let recorder = try EventRecorder(configuration)
    user.walk(through: recorder.flow(CleanerPermissionsFlow.self), clock)
    let delivery = try await recorder.flush()
    try await recorder.close()
    return delivery.delivered
  }
}
