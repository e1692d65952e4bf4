import FunnelModel
import Testing

@Suite struct NearestNameTests {
  @Test(arguments: [
    ("", "", 0), ("a", "", 1), ("", "abc", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "acb", 1), ("ca", "abc", 3),
    ("kitten", "sitting", 3), ("perm_photos_grantd", "perm_photos_granted", 1), ("naïve", "naive", 1),
  ])
  func `the distance counts insertions, deletions, replacements and swaps`(a: String, b: String, distance: Int) {
    #expect(NearestName.distance(from: a, to: b) == distance)
    #expect(NearestName.distance(from: b, to: a) == distance)
  }

  @Test func `the nearest candidate is found, the first of equals`() {
    #expect(NearestName.find("asks", in: ["ask", "tasks"]) == "ask")
    #expect(NearestName.find("setp_viewed", in: ["step_back", "step_viewed"]) == "step_viewed")
    #expect(NearestName.find("cat", in: ["bat", "hat"]) == "bat")
  }

  @Test func `what is too different, or the name itself, is not suggested`() {
    #expect(NearestName.find("granted", in: ["skipped", "denied"]) == nil)
    #expect(NearestName.find("ab", in: ["cd"]) == nil)
    #expect(NearestName.find("same", in: ["same"]) == nil)
    #expect(NearestName.find(String(repeating: "a", count: 100_000), in: ["aa"]) == nil)
  }

  @Test func `text in messages is one harmless line`() {
    #expect("a\nb\u{1B}[31m\u{9B}\u{202E}\u{2028}é😀".printable == "a\\u{a}b\\u{1b}[31m\\u{9b}\\u{202e}\\u{2028}é😀")
    #expect(String(repeating: "x", count: 81).quoted == "\"\(String(repeating: "x", count: 80))…\"")
    #expect("x".quoted == "\"x\"")
  }
}
