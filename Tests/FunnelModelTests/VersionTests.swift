import FunnelModel
import Testing

@Suite struct VersionTests {
  @Test(arguments: [
    ["5.2-alpha", "5.2-alpha.1", "5.2-alpha.beta", "5.2-beta", "5.2-beta.2", "5.2-beta.11", "5.2-rc.1", "5.2"],
    ["5.2b1", "5.2b2", "5.2b10", "5.2"], ["5.2-beta9", "5.2-beta10", "5.2", "5.2.1-rc1", "5.2.1"],
    ["0", "0.0.1", "0.9", "0.10", "1", "5.9", "5.10", "10", "99999999999999999999.1", "100000000000000000000"],
    ["1.18446744073709551615", "1.18446744073709551616", "1.18446744073709551617"], ["2026.9", "2026.11"],
  ])
  func `versions ascend field by field, numbers as numbers, a suffix before none`(ascending: [String]) throws {
    let versions = try ascending.map { try #require(DottedVersion($0), "\($0)") }
    for (low, a) in versions.enumerated() {
      for (high, b) in versions.enumerated() {
        #expect((a < b) == (low < high), "\(ascending[low]), \(ascending[high])")
        #expect((a == b) == (low == high), "\(ascending[low]), \(ascending[high])")
      }
    }
  }

  @Test(arguments: [
    ("5.2", "5.2.0"), ("5", "5.0.0"), ("5.02", "5.2"), ("0", "0.0"), ("5.2+45", "5.2"), ("5.2-rc1+7", "5.2-rc1"),
    ("5.2rc1", "5.2-rc1"),
  ])
  func `spellings of one version are equal`(a: String, b: String) throws {
    let (first, second) = (try #require(DottedVersion(a)), try #require(DottedVersion(b)))
    #expect(first == second)
    #expect(!(first < second) && !(second < first))
    #expect(first.hashValue == second.hashValue)
  }

  @Test(arguments: [
    "", "v5.2", ".5", "5.", "5..2", "5.2-", "5.2.", "5.2-.", "5.2.x", "-5", "+5", "5,2", "5.2 ", " 5.2", "5.2 (7)", "5.2_1",
    "abc", "٥.٢",
  ])
  func `what does not begin with a number, or has an empty field, is no version`(text: String) {
    #expect(DottedVersion(text) == nil)
  }

  @Test(arguments: [
    (">=5.2", ["5.2", "5.10", "5.2.0"], ["5.1.9", "5.2-beta"]), ("<5.2", ["5.1.99", "5.2-beta"], ["5.2", "6"]),
    (">=3 <5.2", ["3", "5.1"], ["2.9", "5.2"]), (">5.2", ["5.2.1"], ["5.2.0"]), ("<=5.2", ["5.2.0"], ["5.2.1"]),
    ("=5.2", ["5.2.0"], ["5.2.1"]), (" >=3  <4 ", ["3.5"], ["4"]), (">=5 <4", [], ["4", "4.5", "5"]),
  ])
  func `a range holds versions that meet all its bounds`(text: String, inside: [String], outside: [String]) throws {
    let range = try #require(VersionRange(text))
    #expect(range.description == text)
    for version in inside { #expect(range.contains(try #require(DottedVersion(version))), "\(version)") }
    for version in outside { #expect(!range.contains(try #require(DottedVersion(version))), "\(version)") }
  }

  @Test(arguments: ["", " ", "5.2", ">=", "=>5.2", ">=5.2,<6", ">=x", "~5", "!=5", ">=5.2 6"])
  func `what is no range is refused`(text: String) {
    #expect(VersionRange(text) == nil)
  }
}
