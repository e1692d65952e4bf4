@testable import FunnelEvents
import Foundation
import Testing

@Suite struct ContextTests {
  @Test func `the recorder fills in what the system tells, and the app's values come first`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder {
      $0.fillsContext = true
      $0.context = ["app_version": "5.2.1", "variant": "b"]
    }
    try await recorder.append(FunnelEvent("a"))
    try await recorder.setContext(["variant": "c"])
    try await recorder.append(FunnelEvent("b"))
    let contexts = try place.events().map { $0["ctx"] }
    #expect(contexts[0]?["app_version"]?.string == "5.2.1")
    #expect(contexts.map { $0?["variant"]?.string } == ["b", "c"])
    #expect(contexts.allSatisfy { $0?["os"]?.string != nil })
    #expect(contexts.allSatisfy { ($0?["os_version"]?.string ?? "").contains(".") && $0?["locale"]?.string != nil })
    let known: Set = ["app_version", "app_build", "os", "os_version", "device", "locale", "country", "variant"]
    #expect(contexts.allSatisfy { known.isSuperset(of: $0?.keys ?? []) })
  }

  @Test(arguments: [("de_DE", "de-DE"), ("en_US@currency=EUR", "en-US"), ("zh-Hans_CN", "zh-Hans-CN"), ("fr", "fr")])
  func `a locale is a language and a region`(identifier: String, locale: String) {
    #expect(DeviceContext.locale(identifier) == locale)
  }
}
