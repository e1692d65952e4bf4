import FunnelProjections

/// The intended ratio of the sizes of two sides, in the notation of `--ratio`: `50:50`, `9:1`.
public struct SideRatio: Hashable, Sendable, CustomStringConvertible {
  public let a: Double
  public let b: Double
  /// The text that was parsed.
  public let description: String

  /// Equal sizes.
  public static let even = SideRatio("50:50")!

  /// Parses two numbers with a colon between them. Returns `nil` for any other text, and for numbers outside
  /// `SampleRatio.ratioParts`.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let a = Self.part(parts[0]), let b = Self.part(parts[1]) else { return nil }
    self.a = a
    self.b = b
    description = text
  }

  private static func part(_ text: Substring) -> Double? {
    // `Double` also parses `0x10`, `1e3` and `nan`.
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") }),
      let number = Double(text), SampleRatio.ratioParts.contains(number)
    else { return nil }
    return number
  }
}
