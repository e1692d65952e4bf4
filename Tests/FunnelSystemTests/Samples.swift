import FunnelTestSupport

/// Data to compress.
enum Samples {
  /// Returns lines that resemble events.
  static func lines(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).flatMap { index in
      Array(#"{"name":"step_viewed","ts":"2026-11-20T10:15:30.123Z","subject":"\#(generator.next())","n":\#(index)}"#.utf8) + [
        10
      ]
    }
  }

  /// Returns bytes that no compressor can shrink.
  static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// Empty, short, repetitive, long and incompressible data.
  static let all: [[UInt8]] = [
    [], [10], Array("hello\n".utf8), [UInt8](repeating: 65, count: 1_000_000), lines(3000), noise(300_000),
    lines(500) + noise(70_000) + lines(500),
  ]
}
