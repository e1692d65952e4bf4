import FunnelModel
import FunnelSimulator
import Testing

@Test func `trendy's skip moves on exactly 1.5 seconds after its explanation`() throws {
  var skips = 0
  var quits = 0
  for sequence in try SimulatedLog(.sample(["trendy/onboarding"], subjects: 400, late: true)).sequences() {
    for (before, after) in zip(sequence, sequence.dropFirst()) {
      if after.name.hasSuffix("_skipped") {
        #expect(before.name == after.name.replacing("_skipped", with: "_skip_explained"))
        #expect(after.time - before.time == 1500)
        skips += 1
      } else if before.name.hasSuffix("_skip_explained") {
        // Those who leave while the app explains may come back, hours later.
        #expect(after.step == "welcome" || after.name.hasSuffix("_pre_prompt_shown"))
        quits += 1
      }
    }
    if sequence.last?.name.hasSuffix("_skip_explained") == true { quits += 1 }
  }
  #expect(skips > 100 && quits > 3)
}

@Test func `trendy's dialogs follow the Enable button, its screens the order of the flow`() throws {
  let order = ["notifications", "location", "healthkit"]
  for sequence in try SimulatedLog(.sample(["trendy/onboarding"])).sequences() {
    var tapped: Set<String> = []
    var prompts: [String: [String]] = [:]
    for line in sequence {
      guard let permission = order.first(where: { line.name.hasPrefix("perm_\($0)_") }) else { continue }
      let action = line.name.dropFirst("perm_\(permission)_".count)
      switch action {
      case "enable_tapped": tapped.insert(permission)
      case "granted", "denied": #expect(tapped.contains(permission))
      case "pre_prompt_shown":
        // The app may ask for the same permission again hours later, outside of the flow.
        if prompts[line.attempt ?? "", default: []].contains(permission) { continue }
        prompts[line.attempt ?? "", default: []].append(permission)
      default: break
      }
    }
    for asked in prompts.values { #expect(asked == Array(order.prefix(asked.count))) }
  }
}

@Test func `cleaner's older builds log the eleven names and nothing else`() throws {
  let permissions = ["photos", "contacts", "push"]
  let names = Set(
    ["perm_flow_start", "perm_flow_completed"]
      + permissions.flatMap { ["perm_\($0)_pre_prompt_shown", "perm_\($0)_granted", "perm_\($0)_denied"] })
  let log = try SimulatedLog(.sample(["cleaner/permissions_flow"], subjects: 500)).parsed()
  let older = log.filter { $0.appVersion.hasPrefix("2.") }
  #expect(Set(older.map(\.name)) == names)
  #expect(Set(log.compactMap { $0.property("trigger")?.string }) == ["first_launch", "incomplete", "feature_flag"])
  #expect(Set(log.map(\.name)).isSuperset(of: ["perm_photos_limited", "perm_push_skipped", "perm_contacts_dialog_dismissed"]))
}

@Test func `"You're all set!" comes before or after the completion, by build, and opens the dashboard`() throws {
  var orders: [String: Set<Bool>] = [:]
  for sequence in try SimulatedLog(.sample(["cleaner/permissions_flow"], subjects: 1500)).sequences() {
    guard let viewed = sequence.firstIndex(where: { $0.step == "all_set" }) else { continue }
    let completed = sequence.firstIndex { $0.name == "perm_flow_completed" } ?? sequence.count
    orders[sequence[viewed].appVersion, default: []].insert(viewed < completed)
    if let opened = sequence.firstIndex(where: { $0.name == "dashboard_opened" }) { #expect(opened > max(viewed, completed)) }
  }
  #expect(orders == ["3.0.1": [true], "3.1.0": [true], "3.2.1": [false]])
}

@Test func `without photos a locked feature leads to Settings, and some grant there`() throws {
  var visits = 0
  var recovered = 0
  for sequence in try SimulatedLog(.sample(["cleaner/permissions_flow"], subjects: 3000)).sequences() {
    for (index, line) in sequence.enumerated() where line.name == "perm_settings_tapped" {
      let before = sequence[..<index]
      #expect(line.property("permission")?.string == "photos")
      #expect(before.contains { $0.name == "perm_photos_denied" || $0.name == "perm_photos_dialog_dismissed" })
      #expect(before.last { $0.name == "perm_blocked_viewed" }?.property("permission")?.string == "photos")
      visits += 1
      if sequence[index...].contains(where: { $0.name == "perm_photos_granted" }) { recovered += 1 }
    }
  }
  #expect(visits > 15 && recovered > 3 && recovered < visits)
}

@Test func `starting again is a new attempt that begins at the beginning`() throws {
  let first = ["cleaner": "perm_flow_start", "trendy": "welcome", "clarity": "welcome", "smilepile": "welcome"]
  let flows = ["cleaner/permissions_flow", "trendy/onboarding", "clarity/onboarding", "smilepile/onboarding"]
  var returned = 0
  for sequence in try SimulatedLog(.sample(flows, subjects: 250)).sequences() {
    let runs = Dictionary(grouping: sequence.filter { $0.attempt != nil }) { $0.attempt ?? "" }
    for run in runs.values {
      #expect((run[0].step ?? run[0].property("screen")?.string ?? run[0].name) == first[run[0].app])
    }
    if runs.count > 1 { returned += 1 }
    #expect(runs.keys.allSatisfy { ["a0", "a1", "a2", "a3"].contains($0) })
  }
  #expect(returned > 30)
}

@Test func `smilepile goes back from two screens only and names its reasons`() throws {
  let log = try SimulatedLog(.sample(["smilepile/onboarding"], subjects: 800)).parsed()
  #expect(Set(log.filter { $0.name == "step_back" }.map(\.step)) == ["categories", "pin_setup"])
  #expect(Set(log.filter { $0.name == "step_skipped" }.map(\.step)) == ["pin_setup"])
  let failures = Set(log.filter { $0.name == "step_failed" }.map { "\($0.step ?? "") \($0.property("reason")?.string ?? "")" })
  #expect(failures == ["categories no_piles", "categories too_many_piles", "pin_setup pin_mismatch"])
  let piles = log.filter { $0.name == "step_completed" && $0.step == "categories" }.map { $0.property("piles")?.integer }
  #expect(Set(piles) == [1, 2, 3, 4, 5])
}

@Test func `the oldest builds of smilepile name screens as their source code does`() throws {
  let log = try SimulatedLog(.sample(["smilepile/onboarding@1"], subjects: 400)).parsed()
  func screens(_ build: String) -> Set<String> {
    Set(log.filter { $0.appVersion == build }.compactMap { $0.property("screen")?.string })
  }
  #expect(screens("1.0.0") == ["welcome", "categories", "photoImport", "pinSetup", "complete"])
  #expect(screens("1.1.2") == ["welcome", "categories", "photo_import", "pin_setup", "complete"])
  #expect(screens("1.4.0") == [])
  let newer = log.filter { $0.appVersion == "1.4.0" && $0.name == "step_viewed" }
  #expect(
    Set(newer.map { "\($0.step ?? "") \($0.property("progress")?.double ?? -1)" }) == [
      "welcome 0.0", "categories 0.25", "photo_import 0.5", "pin_setup 0.75", "complete 1.0",
    ])
}

@Test func `clarity asks for people and networks by hand where access is missing`() throws {
  var manual = 0
  for sequence in try SimulatedLog(.sample(["clarity/onboarding@2"], subjects: 400)).sequences() {
    var answers: [String: String] = [:]
    for line in sequence {
      for permission in ["contacts", "location"] where line.name.hasPrefix("perm_\(permission)_") {
        answers[permission] = String(line.name.dropFirst("perm_\(permission)_".count))
      }
      guard line.name == "step_completed", line.step == "important_people" || line.step == "home_base" else { continue }
      let answer = answers[line.step == "home_base" ? "location" : "contacts"]
      if answer == "denied" {
        #expect(line.property("manual_entry")?.bool == true)
        manual += 1
      }
      if let gate = line.property("wifi_gate")?.string { #expect(["on", "off"].contains(gate)) }
      if line.step == "important_people", answer == "granted" { #expect(line.property("manual_entry")?.bool == false) }
    }
  }
  #expect(manual > 20)
}
