import Foundation

/// The environment of the test run.
enum ProcessEnvironment {
  static func value(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
