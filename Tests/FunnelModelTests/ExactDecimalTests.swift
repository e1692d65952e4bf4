import FunnelModel
import FunnelTestSupport
import Testing

@Suite struct ExactDecimalTests {
  @Test(arguments: [
    ("0", "0"), ("-0", "0"), ("0.000", "0"), ("0e9", "0"), ("25", "25"), ("25.0", "25"), ("1200", "1200"), ("4.99", "4.99"),
    ("-39.990", "-39.99"), ("0.05", "0.05"), ("-0.5", "-0.5"), ("0.000001", "0.000001"), ("1e3", "1000"), ("1.5E+3", "1500"),
    ("499e-2", "4.99"), ("12000000e-12", "0.000012"), ("9007199254740993", "9007199254740993"),
    ("99999999999999999999999999999999", "99999999999999999999999999999999"),
  ])
  func `a number is read exactly and written without an exponent`(text: String, expected: String) throws {
    let number = try #require(ExactDecimal(text))
    #expect(number.description == expected)
    #expect(ExactDecimal(number.description) == number)
  }

  @Test(arguments: [
    "", "-", "+1", "01", ".5", "1.", "1e", "1e+", "0x1", " 1", "1 ", "1,5", "nan", "inf", "1_000", "0.0000001", "1e-7",
    "100000000000000000000000000000000", "1e32", "1e1000000000000000000000", "1e-1000000000000000000000",
  ])
  func `what is no number, or needs more digits, is none`(text: String) {
    #expect(ExactDecimal(text) == nil)
  }

  @Test func `sums are exact where doubles are not`() throws {
    let monthly = try #require(ExactDecimal("4.99"))
    let yearly = try #require(ExactDecimal("39.99"))
    #expect((monthly * 2 + yearly * 5).description == "209.93")
    #expect((monthly * 10 + yearly * 4).description == "209.86")
    let cent = try #require(ExactDecimal("0.01"))
    var sum = ExactDecimal.zero
    for _ in 0..<100_000 { sum += cent }
    #expect(sum == ExactDecimal(1000))
    #expect(monthly * 0 == .zero)
  }

  @Test func `no number of amounts within the limit overflows`() {
    let most = ExactDecimal(Limits.amountMax)
    #expect((most * .max).description == "9223372036854775807000000000000")
    #expect(((most * .max) + ExactDecimal(-Limits.amountMax) * .max) == .zero)
  }

  @Test func `the order is that of the numbers`() throws {
    let ordered = try ["-2", "-1.5", "-0.000001", "0", "0.000001", "1.4", "1.40001", "2", "10"].map {
      try #require(ExactDecimal($0))
    }
    #expect(ordered.shuffled().sorted() == ordered)
  }

  @Test(arguments: Sweeps.seeds(200, sample: 20))
  func `numbers of random digits keep them`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let millionths = Int.random(in: .min ... .max, using: &random) >> Int.random(in: 0..<63, using: &random)
      let number = ExactDecimal(millionths: WideInteger(millionths))
      #expect(ExactDecimal(number.description)?.millionths == WideInteger(millionths), "\(number)")
      #expect(ExactDecimal("\(millionths)e-6") == number)
    }
  }
}
