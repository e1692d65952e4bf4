import Foundation
import Testing

/// The expected outputs of a sample folder, in its files `*.expected`.
enum Expectation {
  /// Whether the tool's actual outputs replace the expected ones.
  private static var isRenewing: Bool { ProcessInfo.processInfo.environment["UPDATE_EXPECTED"] == "1" }

  /// Compares an output byte by byte with the expected one, which it replaces first if expectations are renewed.
  static func check(
    _ answer: String, _ file: String, of sample: SampleFolder, sourceLocation: SourceLocation = #_sourceLocation
  )
    throws
  {
    let url = sample.url.appending(path: "\(file).expected")
    if isRenewing { try Data(answer.utf8).write(to: url) }
    let expected = try Data(contentsOf: url)
    #expect(
      expected == Data(answer.utf8), "\(sample.name)/\(file): \(firstDifference(expected, answer))",
      sourceLocation: sourceLocation)
  }

  private static func firstDifference(_ expected: Data, _ answer: String) -> String {
    // This compares bytes, because Swift's strings are also equal if they are only canonically equivalent.
    let wanted = expected.split(separator: 10, omittingEmptySubsequences: false)
    let found = Data(answer.utf8).split(separator: 10, omittingEmptySubsequences: false)
    let line = zip(wanted, found).enumerated().first { $1.0 != $1.1 }?.offset ?? min(wanted.count, found.count)
    func text(_ lines: [Data]) -> String { line < lines.count ? String(decoding: lines[line], as: UTF8.self) : "(no line)" }
    return "line \(line + 1) is\n  \(text(found))\nand should be\n  \(text(wanted))"
  }
}
