import Foundation
import Testing

/// The package runs on macOS 13 and iOS 16. Compilers for Linux do not check what is newer there, so this looks for the names.
///
/// `Span` and its relatives are newer, but compilers deploy them back to these systems.
@Suite struct OldSystemsTests {
  private static let newer = [
    "import Synchronization", "import Observation", #"\bU?Int128\b"#, #"\bMutex<"#, #"\bAtomic<"#,
    #"\bInlineArray<"#,
    #"\bRangeSet<"#, #"String\(validating:"#, "withDiscardingTaskGroup", #"\butf8Span\b"#, #"\bisolated deinit\b"#,
  ]

  @Test func `no source uses interfaces of the system that are newer than the floor of the package`() throws {
    let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let patterns = try Self.newer.map { try Regex($0) }
    var lineCount = 0
    for folder in ["Sources", "Examples", "Benchmarks/Kernels"] {
      let files = FileManager.default.enumerator(at: repository.appending(path: folder), includingPropertiesForKeys: nil)
      while let file = files?.nextObject() as? URL {
        guard file.pathExtension == "swift" else { continue }
        for (index, line) in try String(contentsOf: file, encoding: .utf8).split(
          separator: "\n", omittingEmptySubsequences: false
        )
        .enumerated() {
          lineCount += 1
          let code = line.prefix(upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex)
          for pattern in patterns { #expect(code.firstMatch(of: pattern) == nil, "\(file.path):\(index + 1): \(line)") }
        }
      }
    }
    #expect(lineCount > 20_000)
  }
}
