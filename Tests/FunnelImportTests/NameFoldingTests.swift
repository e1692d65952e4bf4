import FunnelImport
import FunnelModel
import Testing

@Suite struct NameFoldingTests {
  @Test(arguments: [
    ("Application Installed", "application_installed"), ("HTTPRequest", "http_request"), ("$pageview", "pageview"),
    ("signUp", "sign_up"), ("step2Done", "step2_done"), ("  A  --  B  ", "a_b"), ("2 Steps", "e_2_steps"),
    ("ABTest", "ab_test"),
    ("already_native", "already_native"), ("Ünïcode Näme", "unicode_name"), ("geöffnet", "geoffnet"), ("首次打开", "e_057cf346"),
    ("Регистрация", "e_9d91b7f2"),
    ("ﬁrst", "first"), ("__a__", "a"), ("A", "a"), ("x.y/z", "x_y_z"),
  ])
  func `a name becomes native`(foreign: String, native: String) throws {
    let line = try Translating(.mixpanel).line(
      "{\"event\":\"\(foreign)\",\"properties\":{\"time\":1795169730,\"$device_id\":\"d\"}}")
    #expect(line.hasPrefix("{\"name\":\"\(native)\","))
  }

  @Test func `names that become one are told`() throws {
    let translating = try Translating(.mixpanel)
    for name in ["Sign Up", "sign_up", "SignUp", "Other"] {
      _ = try translating.line("{\"event\":\"\(name)\",\"properties\":{\"time\":1795169730,\"$device_id\":\"d\"}}")
    }
    let aggregate = translating.aggregate()
    #expect(aggregate.collisions.map(\.native) == ["sign_up"])
    #expect(aggregate.collisions.first?.imported == ["Sign Up", "SignUp", "sign_up"])
    #expect(aggregate.names.contains { $0.key.imported == "Other" && $0.key.native == "other" && $0.value == 1 })
  }
}
