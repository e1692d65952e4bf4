import Foundation
@testable import FunnelModel
import FunnelSchemas
import Testing

/// What the definitions of cleaner, trendy and smilepile say, and what all definitions have in common.
@Suite struct ShippedFlowTests {
  @Test func `a strict check finds nothing in the built-in definitions`() {
    #expect(FlowFindings.findings(in: BuiltInSchemas.flowFiles).flatMap { $0 }.map(\.description) == [])
  }

  @Test func `every rule that can be broken says what it demands, of each of its targets`() {
    for flow in BuiltInSchemas.flows {
      let targets = flow.permissions.map(\.name) + flow.steps.map(\.id) + [nil]
      for rule in flow.rules where rule.canBeBroken {
        for target in targets { #expect(rule.sentence(target: target).count > 20, "\(flow.reference) \(rule.kind)") }
      }
    }
  }

  @Test func `cleaner declares its blocking screen, the way to Settings and what comes after all_set`() throws {
    let flow = try FlowDefinition.shipped("cleaner/permissions_flow@1")
    let vocabulary = FlowVocabulary(flow)
    for name in ["perm_blocked_viewed", "perm_settings_tapped", "dashboard_opened"] {
      #expect(vocabulary.declares(name: name, step: nil))
    }
    #expect(flow.refusal(of: "perm_blocked_viewed", ["permission": .string("photos")]) == nil)
    #expect(flow.refusal(of: "perm_blocked_viewed", ["permission": .integer(1)]) != nil)
    #expect(flow.refusal(of: "perm_flow_start", ["trigger": .string("feature_flag")]) == nil)
    #expect(flow.refusal(of: "perm_flow_start", ["trigger": .string("push")]) != nil)
    #expect(flow.hint(ofPermission: "photos") == "To clean all duplicates, allow access to all photos.")
    #expect(flow.hint(ofPermission: "contacts") == nil)
    #expect(flow.settingsEvents == ["perm_settings_tapped"])
  }

  @Test func `trendy's progress is that of its steps and priming screens`() throws {
    let flow = try FlowDefinition.shipped("trendy/onboarding@1")
    for (index, step) in flow.steps.enumerated() {
      let progress = try #require(step.progress)
      #expect(abs(progress - Double(index) / Double(flow.steps.count - 1)) < 1e-9)
    }
    #expect(flow.rules.contains(.progress))
    var screens: [Double] = []
    for case .permissionProgress(let rule) in flow.rules { screens = rule.marks.map(\.progress) }
    #expect(screens.count == 3)
    for (index, progress) in screens.enumerated() { #expect(abs(progress - (0.8 + 0.2 * Double(index) / 3)) < 1e-9) }
  }

  @Test func `smilepile's first onboarding shows progress, its second limits the way back`() throws {
    let first = try FlowDefinition.shipped("smilepile/onboarding@1")
    let second = try FlowDefinition.shipped("smilepile/onboarding@2")
    #expect(first.steps.map(\.progress) == [0, 0.25, 0.5, 0.75, 1])
    #expect(second.steps.allSatisfy { $0.progress == nil })
    #expect(first.rules.contains(.progress) && !second.rules.contains(.progress))
    #expect(second.rules.contains(.backFrom(.init(steps: ["categories", "pin_setup"]))))
    #expect(!first.rules.contains { $0.kind == .backFrom })
    for flow in [first, second] {
      #expect(flow.rules.contains(.notAfterCompletion))
      #expect(flow.rules.contains(.noPersonalData(.init(keys: ["pin", "pin_entered", "pile_name", "album_name"]))))
    }
  }

  @Test(arguments: [1, 2]) func `any number of piles is accepted, and whether a PIN was set`(version: Int) throws {
    let flow = try FlowDefinition.shipped("smilepile/onboarding@\(version)")
    for piles in 0...9 as ClosedRange<Int64> {
      #expect(flow.refusal(of: "step_completed", step: "categories", ["piles": .integer(piles)]) == nil)
    }
    #expect(flow.refusal(of: "step_completed", step: "categories", ["piles": .string("two")]) != nil)
    #expect(flow.refusal(of: "step_completed", step: "pin_setup", ["pin_set": .bool(true)]) == nil)
    #expect(flow.refusal(of: "step_completed", step: "pin_setup", ["pin_set": .integer(1234)]) != nil)
    for reason in ["pin_mismatch", "no_piles", "too_many_piles"] {
      #expect(flow.refusal(of: "step_failed", step: "categories", ["reason": .string(reason)]) == nil)
    }
    #expect(flow.refusal(of: "step_failed", step: "categories", ["reason": .string("other")]) != nil)
    let piles = flow.rules.compactMap { rule -> Int? in
      switch rule {
      case .minItems(let rule): rule.limit
      case .maxItems(let rule): rule.limit
      default: nil
      }
    }
    #expect(piles == [1, 5])
  }

  @Test(arguments: [
    (1, "photoImport", "photo_import"), (1, "pinSetup", "pin_setup"), (1, "photo_import", "photo_import"),
    (2, "pinSetup", "pin_setup"), (2, "categories", "categories"), (2, "photoImport", "photoImport"),
  ])
  func `screens of older builds are read by the app's own keys`(version: Int, screen: String, step: String) throws {
    let flow = try FlowDefinition.shipped("smilepile/onboarding@\(version)")
    let target = try #require(flow.upcasts.first { $0.from == "onboarding_step" }?.targets.first)
    guard target.name == "step_viewed", case .mapped(.property("screen"), let mapping)? = target.step else {
      Issue.record("\(target)")
      return
    }
    #expect(mapping.value(for: .string(screen)) == .string(step))
    #expect(flow.upcasts.first { $0.from == "has_completed_onboarding" }?.targets.map(\.name) == ["onboarding_completed"])
  }

  @Test func `the outcomes on the page about flows are sound`() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Documentation/FLOWS.md").standardized
    let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```json\n").dropFirst()
    let block = try #require(blocks.first { $0.hasPrefix("{\n  \"outcomes\"") }?.components(separatedBy: "\n```").first)
    let text = #"{"app":"a","flow":"f","version":1,"steps":[{"id":"s"}],"# + block.dropFirst()
    let flow = try FlowDefinition(json: Array(text.utf8), source: "FLOWS.md")
    #expect(try flow.worth(of: "purchase_completed", in: "USD", ["product": .string("yearly")]) == "39.99")
    #expect(try flow.worth(of: "challenge_verified", in: "xp", ["type": .string("call")]) == "25")
  }
}
