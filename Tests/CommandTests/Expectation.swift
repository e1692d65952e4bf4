import Foundation
import Testing

/// What a sample folder's file `*.expected` holds.
enum Expectation {
  /// Whether expectations are to be renewed by what the tool says now.
  private static var isRenewing: Bool { ProcessInfo.processInfo.environment["UPDATE_EXPECTED"] == "1" }

  /// Compares an answer of the tool, byte by byte, with the expected one, or makes it the expected one.
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
    // By bytes: strings that look alike are equal to Swift.
    let wanted = expected.split(separator: 10, omittingEmptySubsequences: false)
    let found = Data(answer.utf8).split(separator: 10, omittingEmptySubsequences: false)
    let line = zip(wanted, found).enumerated().first { $1.0 != $1.1 }?.offset ?? min(wanted.count, found.count)
    func text(_ lines: [Data]) -> String { line < lines.count ? String(decoding: lines[line], as: UTF8.self) : "(no line)" }
    return "line \(line + 1) is\n  \(text(found))\nand should be\n  \(text(wanted))"
  }
}
