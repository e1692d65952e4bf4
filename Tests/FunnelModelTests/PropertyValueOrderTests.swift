import FunnelModel
import Testing

@Suite struct PropertyValueOrderTests {
  /// Values in ascending order, with integers that a double can't represent.
  private static let ascending: [PropertyValue] = [
    .double(-1e300), .integer(.min), .double(-0x1p63), .integer(-1), .double(-0.5), .integer(0), .double(0), .integer(1),
    .double(1),
    .integer(9_007_199_254_740_992), .double(9_007_199_254_740_992), .integer(9_007_199_254_740_993), .integer(.max),
    .double(0x1p63), .string("a"), .bool(false), .string("g"), .string("true"), .bool(true), .string("u"), .null,
  ]

  @Test func `the order of values is total`() {
    for (i, a) in Self.ascending.enumerated() {
      for (j, b) in Self.ascending.enumerated() {
        #expect((a < b) == (i < j), "\(a), \(b)")
        #expect((a == b) == (i == j), "\(a), \(b)")
      }
    }
  }
}
