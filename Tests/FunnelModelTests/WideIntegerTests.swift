import FunnelModel
import FunnelTestSupport
import Testing

@Suite struct WideIntegerTests {
  private static let edges = [0, 1, -1, 2, 10, -10, 1 << 31, 1 << 62, .max, .min, .max - 1, .min + 1]

  @Test(arguments: edges, edges)
  func `sums and products of two integers are those of arithmetic`(a: Int, b: Int) {
    let (wideA, wideB) = (WideInteger(a), WideInteger(b))
    let (sum, overflows) = a.addingReportingOverflow(b)
    #expect(Int(exactly: wideA + wideB) == (overflows ? nil : sum))
    #expect(wideA + wideB + -wideB == wideA)
    let (product, isTooLarge) = a.multipliedReportingOverflow(by: b)
    #expect(Int(exactly: wideA * b) == (isTooLarge ? nil : product))
    #expect((wideA < wideB) == (a < b))
    guard b > 0 else { return }
    let (quotient, remainder) = wideA.quotientAndRemainder(dividingBy: b)
    #expect(Int(exactly: quotient) == a / b)
    #expect(remainder == a % b)
  }

  @Test(arguments: Sweeps.seeds(200, sample: 20))
  func `a quotient times its divisor, and the remainder, are the number`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let number = WideInteger(Int.random(in: .min ... .max, using: &random)) * Int.random(in: .min ... .max, using: &random)
      let divisor = max(1, Int.random(in: 1 ... .max, using: &random) >> Int.random(in: 0..<60, using: &random))
      let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
      // The quotient may be wider than an Int, which alone can be multiplied: its halves are multiplied apart.
      let (high, low) = quotient.quotientAndRemainder(dividingBy: 1 << 62)
      let high62 = WideInteger(Int(exactly: high)!) * divisor * (1 << 62)
      #expect(high62 + WideInteger(low) * divisor + WideInteger(remainder) == number, "\(number) / \(divisor)")
      #expect(abs(remainder) < divisor)
    }
  }

  @Test func `numbers beyond 64 bits have a text and a double`() {
    let large = WideInteger(1_000_000_000_000_000_000) * 1_000_000_000_000_000_000
    #expect(large.description == "1000000000000000000000000000000000000")
    #expect((large + WideInteger(7)).description == "1000000000000000000000000000000000007")
    #expect((-large).description == "-1000000000000000000000000000000000000")
    #expect(abs(Double(large) / 1e36 - 1) < 1e-15)
    #expect(Double(-large) == -Double(large))
    #expect(Double(WideInteger(.max)) == Double(Int.max))
    #expect(WideInteger(.min).description == String(Int.min))
  }
}
