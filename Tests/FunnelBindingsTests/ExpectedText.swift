import Foundation
import Testing

/// Texts that are kept in the repository and held against what is generated. With `UPDATE_EXPECTED=1` they are replaced by it.
enum ExpectedText {
  static func check(_ text: String, _ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = repository.appending(path: path)
    if ProcessInfo.processInfo.environment["UPDATE_EXPECTED"] == "1" { try Data(text.utf8).write(to: file) }
    let expected = try Data(contentsOf: file)
    #expect(
      expected == Data(text.utf8), "\(path) is not what is generated; UPDATE_EXPECTED=1 renews it",
      sourceLocation: sourceLocation)
  }
}
