import FunnelModel
import Testing

@Suite struct VersionRangeTests {
  @Test(arguments: [
    (">=5.2", ["5.2", "5.2.0", "5.10", "6"], ["5.1.9", "5.2-beta"]), ("<5.2", ["5.1", "5.2-beta"], ["5.2", "5.10"]),
    (">=3 <5.2", ["3", "5.1.9"], ["2.9", "5.2"]), (">= 3  <  5.2 ", ["3", "5.1.9"], ["2.9", "5.2"]),
    ("=5.2", ["5.2.0"], ["5.2.1"]), (">5 <=6", ["5.0.1", "6"], ["5", "6.0.1"]),
  ])
  func `all bounds must hold, blanks make no difference`(text: String, inside: [String], outside: [String]) throws {
    let range = try #require(VersionRange(text))
    #expect(range.description == text)
    for version in inside { #expect(range.contains(try #require(DottedVersion(version))), "\(version)") }
    for version in outside { #expect(!range.contains(try #require(DottedVersion(version))), "\(version)") }
  }

  @Test(arguments: ["", " ", "5.2", ">=", ">= ", ">=x", ">=5..2", "~5", ">=3,<5", ">=3<5", "=>5", "> =5"])
  func `what is no range is refused`(text: String) {
    #expect(VersionRange(text) == nil)
  }

  @Test(arguments: [">=5 <3", ">5 <5", ">=5 <5", ">5 <=5", "=4 =5", "=4 >4", ">=2 <=3 >3"])
  func `bounds that exclude one another are refused in a definition`(text: String) {
    #expect(throws: FunnelError.self) { try definition(text) }
  }

  @Test(arguments: [">=5 <=5", "=5 =5.0", "=4 >=4 <5", ">4 <4.0.1", ">=5-beta <5"])
  func `bounds that leave a version are none of these`(text: String) {
    #expect(throws: Never.self) { try definition(text) }
  }

  private func definition(_ range: String) throws -> FlowDefinition {
    try FlowDefinition(
      json: Array("{\"app\":\"a\",\"flow\":\"f\",\"version\":1,\"steps\":[{\"id\":\"s\"}],\"app_versions\":\"\(range)\"}".utf8),
      source: "f.json")
  }
}
