import FunnelModel
import FunnelSimulator
import Testing

@Test func `trendy's skip moves on exactly 1.5 seconds after its explanation`() throws {
  var skips = 0
  for journey in try SimulatedLog(.sample(["trendy/onboarding"], late: true, faults: true)).journeys() {
    for (before, after) in zip(journey, journey.dropFirst()) where after.name.hasSuffix("_skipped") {
      #expect(before.name == after.name.replacing("_skipped", with: "_skip_explained"))
      #expect(after.time - before.time == 1500)
      skips += 1
    }
  }
  #expect(skips > 50)
}

@Test func `trendy's dialogs follow the Enable button, its screens the order of the flow`() throws {
  let order = ["notifications", "location", "healthkit"]
  for journey in try SimulatedLog(.sample(["trendy/onboarding"])).journeys() {
    var tapped: Set<String> = []
    var prompts: [String: [String]] = [:]
    for line in journey {
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

@Test func `without faults no dialog comes without its pre-prompt, and all_set only when all was granted`() throws {
  var allSets = 0
  for journey in try SimulatedLog(.sample(["cleaner/permissions_flow"], subjects: 600)).journeys() {
    let breaches = Breaches(of: journey)
    #expect(breaches.unprimed == 0 && breaches.falseAllSets == 0)
    allSets += breaches.allSets
    #expect(journey.first?.name == "perm_flow_start")
    #expect(journey.first?.property("trigger")?.string == "first_launch")
  }
  #expect(allSets > 10)
}

@Test func `with faults there are a few of both`() throws {
  let breaches = try SimulatedLog(.sample(["cleaner/permissions_flow"], subjects: 1200, faults: true)).journeys().map(
    Breaches.init)
  #expect((1...60).contains(breaches.count { $0.unprimed > 0 }))
  #expect((1...60).contains(breaches.count { $0.falseAllSets > 0 }))
}

@Test func `cleaner's older builds log the eleven names and nothing else`() throws {
  let permissions = ["photos", "contacts", "push"]
  let names = Set(
    ["perm_flow_start", "perm_flow_completed"]
      + permissions.flatMap { ["perm_\($0)_pre_prompt_shown", "perm_\($0)_granted", "perm_\($0)_denied"] })
  let log = try SimulatedLog(.sample(["cleaner/permissions_flow"], subjects: 500)).parsed()
  let older = log.filter { $0.appVersion.hasPrefix("2.") }
  #expect(Set(older.map(\.name)) == names)
  #expect(Set(log.map(\.name)).isSuperset(of: ["perm_photos_limited", "perm_push_skipped", "perm_contacts_dialog_dismissed"]))
}

@Test func `starting again is a new attempt that begins at the beginning`() throws {
  let first = ["cleaner": "perm_flow_start", "trendy": "welcome", "clarity": "welcome", "smilepile": "welcome"]
  let flows = ["cleaner/permissions_flow", "trendy/onboarding", "clarity/onboarding", "smilepile/onboarding"]
  var returned = 0
  for journey in try SimulatedLog(.sample(flows, subjects: 250)).journeys() {
    let runs = Dictionary(grouping: journey.filter { $0.attempt != nil }) { $0.attempt ?? "" }
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

@Test func `clarity asks for people and networks by hand where access is missing`() throws {
  var manual = 0
  for journey in try SimulatedLog(.sample(["clarity/onboarding@2"], subjects: 400)).journeys() {
    var answers: [String: String] = [:]
    for line in journey {
      for permission in ["contacts", "location"] where line.name.hasPrefix("perm_\(permission)_") {
        answers[permission] = String(line.name.dropFirst("perm_\(permission)_".count))
      }
      guard line.name == "step_completed", line.step == "important_people" || line.step == "home_base" else { continue }
      let answer = answers[line.step == "home_base" ? "location" : "contacts"]
      if answer == "denied" {
        #expect(line.property("manual_entry")?.bool == true)
        manual += 1
      }
      if line.step == "important_people", answer == "granted" { #expect(line.property("manual_entry")?.bool == false) }
    }
  }
  #expect(manual > 20)
}

/// The number of times a journey through cleaner's flow breaks the flow's rules.
private struct Breaches {
  var unprimed = 0
  var falseAllSets = 0
  var allSets = 0

  init(of journey: [SimulatedLine]) {
    var prompted: Set<String> = []
    var granted: Set<String> = []
    for line in journey {
      if line.step == "all_set" {
        allSets += 1
        if granted.count < 3 { falseAllSets += 1 }
      }
      for permission in ["photos", "contacts", "push"] where line.name.hasPrefix("perm_\(permission)_") {
        switch line.name.dropFirst("perm_\(permission)_".count) {
        case "pre_prompt_shown": prompted.insert(permission)
        case "granted":
          granted.insert(permission)
          fallthrough
        case "limited", "denied": if !prompted.contains(permission) { unprimed += 1 }
        default: break
        }
      }
    }
  }
}
