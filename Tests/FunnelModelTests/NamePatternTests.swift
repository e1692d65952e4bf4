import FunnelModel
import Testing

@Suite struct NamePatternTests {
  private func matches(_ pattern: String, _ name: String) throws -> Bool {
    try #require(NamePattern(pattern)).matches(Array(name.utf8))
  }

  @Test(arguments: [
    ("mood_*", "mood_logged"), ("mood_*", "mood_"), ("*", "anything"), ("*", ""), ("*_ended", "focus_session_ended"),
    ("a*b*c", "abc"), ("a*b*c", "axxbxbyc"), ("a**b", "ab"), ("mood", "mood"), ("*a*", "bab"), ("a*a", "aa"), ("*ab", "aab"),
    ("m??d_*", "mood_x"),
  ])
  func `a star stands for any characters, or none`(pattern: String, name: String) throws {
    #expect(try matches(pattern, name))
  }

  @Test(arguments: [
    ("mood_*", "moods"), ("mood_*", "my_mood_x"), ("*_ended", "ended_not"), ("a*b*c", "acb"), ("mood", "mood_"), ("a*a", "a"),
    ("*b", "ba"),
  ])
  func `the whole name has to match`(pattern: String, name: String) throws {
    #expect(try !matches(pattern, name))
  }

  @Test(arguments: ["", "Mood_*", "mood-*", "mood+", "mood *", "möod", String(repeating: "*", count: 201)])
  func `what no name could match is no pattern`(text: String) {
    #expect(NamePattern(text) == nil)
  }

  @Test func `many stars take no more than a moment`() throws {
    let pattern = String(repeating: "*a", count: 100)
    #expect(try !matches(pattern, String(repeating: "a", count: 99) + "b"))
    #expect(try !matches(pattern + "", String(repeating: "ab", count: 50)))
  }
}
