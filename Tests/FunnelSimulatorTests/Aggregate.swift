import Foundation
import FunnelModel

/// Counts over a log that is too large for a real parser in a debug build: fields are found by searching the bytes.
struct Aggregate {
  /// The answers of subjects, each of which is counted once, by its last answer.
  struct Answers {
    var prompted = 0
    var dialogs = 0
    var granted = 0
    var limited = 0

    func share(_ part: Int, of whole: Int) -> Double { Double(part) / Double(max(whole, 1)) }
  }

  private struct Answer {
    var isPrompted = false
    var sawDialog = false
    var last = ""
  }

  private(set) var subjectsAtStep: [String: Set<String>] = [:]
  private(set) var gaps: [String: Int] = [:]
  private(set) var installHours = Array(repeating: 0, count: 24)
  private(set) var installWeekdays = Array(repeating: 0, count: 8)
  private var answers: [String: Answer] = [:]
  private var viewed: [String: Int64] = [:]
  private var known: Set<String> = []

  /// The answers by app and permission.
  var permissions: [String: Answers] { grouped { "\($0[0]) \($0[1])" } }
  /// The answers by app, permission and variant.
  var variants: [String: Answers] { grouped { "\($0[0]) \($0[1]) \($0[2])" } }

  private func grouped(by key: ([Substring]) -> String) -> [String: Answers] {
    var result: [String: Answers] = [:]
    for (subject, answer) in answers where answer.isPrompted {
      let group = key(subject.split(separator: " "))
      result[group, default: Answers()].prompted += 1
      if answer.sawDialog { result[group, default: Answers()].dialogs += 1 }
      if answer.last == "granted" { result[group, default: Answers()].granted += 1 }
      if answer.last == "limited" { result[group, default: Answers()].limited += 1 }
    }
    return result
  }

  mutating func add(_ chunk: [UInt8]) {
    chunk.withUnsafeBytes { bytes in
      for line in bytes.split(separator: UInt8(ascii: "\n")) { add(line: LineText(UnsafeRawBufferPointer(rebasing: line))) }
    }
  }

  private mutating func add(line: LineText) {
    guard let name = line.value(of: "\"name\":\""), let app = line.value(of: "\"app\":\""),
      let subject = line.value(of: "\"subject\":\"")
    else { return }
    let version = line.value(of: "\"flow_version\":") ?? "1"
    let time =
      line.value(of: "\"ts\":\"").flatMap { Timestamp(rfc3339: $0)?.milliseconds }
      ?? line.value(of: "\"ts\":").flatMap(Int64.init) ?? 0
    if known.insert("\(app) \(subject)").inserted {
      installHours[Int(time / 3_600_000 % 24)] += 1
      installWeekdays[Timestamp(milliseconds: time).day.isoWeekday] += 1
    }
    if name == "step_viewed" || name == "onboarding_step",
      let logged = line.value(of: "\"step\":\"") ?? line.value(of: "\"screen\":\"")
    {
      // The oldest builds of smilepile name screens as their source code does.
      let step = ["photoImport": "photo_import", "pinSetup": "pin_setup"][logged] ?? logged
      subjectsAtStep["\(app) \(version) \(step)", default: []].insert(subject)
      viewed["\(app) \(subject)"] = time
    } else if name == "step_completed" || name == "step_skipped", let since = viewed.removeValue(forKey: "\(app) \(subject)") {
      let gap = time - since
      gaps[gap < 600_000 ? "minutes" : gap < 43_200_000 ? "hours" : "day", default: 0] += 1
    } else if name.hasPrefix("perm_") {
      subjectsAtStep["\(app) 1 \(name)", default: []].insert(subject)
      addAnswer(name, app: app, subject: subject, variant: line.value(of: "\"variant\":\"") ?? "")
    }
  }

  private mutating func addAnswer(_ name: String, app: String, subject: String, variant: String) {
    let actions = ["pre_prompt_shown", "granted", "limited", "denied", "dialog_dismissed", "skipped"]
    guard let action = actions.first(where: { name.hasSuffix("_\($0)") }) else { return }
    let permission = name.dropFirst(5).dropLast(action.count + 1)
    let key = "\(app) \(permission) \(variant) \(subject)"
    if action == "pre_prompt_shown" {
      answers[key, default: Answer()].isPrompted = true
    } else {
      answers[key, default: Answer()].last = action
      if action != "skipped" { answers[key, default: Answer()].sawDialog = true }
    }
  }
}

/// A line as a C string, because C's search functions are fast in a debug build too.
private struct LineText {
  private let characters: [CChar]

  init(_ bytes: UnsafeRawBufferPointer) {
    characters = [CChar](unsafeUninitializedCapacity: bytes.count + 1) { buffer, count in
      UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
      buffer[bytes.count] = 0
      count = bytes.count + 1
    }
  }

  /// Returns the text between a key and the next quote, comma or brace, or nil if there is none.
  func value(of key: String) -> String? {
    characters.withUnsafeBufferPointer { buffer in
      guard let hit = buffer.baseAddress.flatMap({ strstr($0, key) }) else { return nil }
      let start = hit + key.utf8.count
      let length = strcspn(start, "\",}")
      return length == 0 ? nil : String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
    }
  }
}
