import FunnelModel

/// Finds the rules that one group breaks. It is written from the facts of the four apps, and shares nothing with the simulator or with
/// the reports.
struct RuleChecker {
  /// The rules that the group breaks.
  private(set) var broken: Set<String> = []
  /// The state of one permission.
  private struct Question {
    var prompts = 0
    var isEnabled = false
    var explained: Int64?
    /// The last decision since the last pre-prompt.
    var recent: (answer: String, suffix: String, time: Int64)?
    var last: String?
    var isAnswered = false
    var isSkipped = false
  }

  private var questions: [String: Question] = [:]
  private var promptOrder: [String] = []
  private var starts = 0
  private var isCompleted = false

  /// Reads the events of a group, which must be sorted by time.
  init(_ events: [SimulatedLine]) {
    guard let first = events.first else { return }
    let facts = AppFacts(app: first.app, version: first.version ?? 1)
    for event in events { check(event.today, facts) }
    let order = facts.askOrder.compactMap { promptOrder.firstIndex(of: $0) }
    if order != order.sorted() { broken.insert("permission_order") }
    for permission in facts.preAlerts where questions[permission]?.isSkipped == true {
      if questions[permission]?.isAnswered != true { broken.insert("pre_alert_without_alert") }
    }
  }

  private mutating func check(_ event: SimulatedLine.Today, _ facts: AppFacts) {
    switch event.name {
    case "perm_flow_start":
      let trigger = event.line.property("trigger")?.string
      if trigger == "first_launch", starts > 0 { broken.insert("start_trigger") }
      if trigger == "incomplete", starts == 0 || isCompleted { broken.insert("start_trigger") }
      starts += 1
      noteStart()
    case "perm_flow_completed", "onboarding_completed": isCompleted = true
    default: break
    }
    if event.name.hasPrefix("step_"), let step = event.step { checkStep(step, event, facts) }
    if let (permission, suffix) = event.permission { checkAnswer(permission, suffix, event, facts) }
  }

  private mutating func noteStart() {
    if isCompleted { broken.insert("not_after_completion") }
  }

  private mutating func checkStep(_ step: String, _ event: SimulatedLine.Today, _ facts: AppFacts) {
    if event.line.flow != nil, !facts.steps.contains(step), step != facts.closingStep { broken.insert("known_step") }
    switch event.name {
    case "step_viewed":
      if step == facts.steps.first { noteStart() }
      if step == facts.steps.last { isCompleted = true }
      if let progress = event.progress, let index = facts.steps.firstIndex(of: step),
        abs(progress - Double(index) / Double(facts.steps.count - 1)) > 0.005
      {
        broken.insert("progress")
      }
      if step == "all_set", ["photos", "contacts", "push"].contains(where: { questions[$0]?.last != "granted" }) {
        broken.insert("only_if_all_granted")
      }
      if step == "finish", facts.askOrder.contains(where: { questions[$0]?.last == nil }) {
        broken.insert("advance_when_all_handled")
      }
    case "step_completed":
      for (key, range) in facts.items[step] ?? [:] {
        guard let count = event.line.property(key)?.integer else { continue }
        if count < range.lowerBound { broken.insert("min_items") }
        if count > range.upperBound { broken.insert("max_items") }
      }
    case "step_skipped": if let steps = facts.skippable, !steps.contains(step) { broken.insert("skippable") }
    case "step_back": if let steps = facts.backFrom, !steps.contains(step) { broken.insert("back_from") }
    default: break
    }
  }

  private mutating func checkAnswer(
    _ permission: String, _ suffix: String, _ event: SimulatedLine.Today, _ facts: AppFacts
  ) {
    var question = questions[permission] ?? Question()
    defer { questions[permission] = question }
    switch suffix {
    case "pre_prompt_shown":
      if question.prompts == 0 { promptOrder.append(permission) }
      question.prompts += 1
      (question.isEnabled, question.explained, question.recent) = (false, nil, nil)
      if let progress = event.progress, let index = facts.askOrder.firstIndex(of: permission),
        abs(progress - 0.8 - 0.2 * Double(index) / 3) > 0.005
      {
        broken.insert("progress")
      }
      return
    case "enable_tapped":
      question.isEnabled = true
      return
    case "skip_explained": question.explained = event.line.trueTime
    case "skipped":
      question.isSkipped = true
      if facts.explainsSkips, event.line.trueTime - (question.explained ?? .max / 2) < 1500 { broken.insert("skip_delay") }
    default:
      question.isAnswered = true
      if question.prompts == 0 { broken.insert("pre_prompt_before_decision") }
      if facts.explainsSkips, !question.isEnabled { broken.insert("dialog_after") }
    }
    let answer = suffix == "dialog_dismissed" ? "denied" : suffix == "skip_explained" ? "skipped" : suffix
    if let recent = question.recent, !(recent.suffix == "skip_explained" && suffix == "skipped") {
      if recent.answer != answer || event.line.trueTime - recent.time > 5000 { broken.insert("no_second_decision") }
    }
    question.recent = (answer, suffix, event.line.trueTime)
    question.last = answer
  }
}

/// What is written about one app.
private struct AppFacts {
  var steps: [String] = []
  /// A step besides these that the flow has too.
  var closingStep: String?
  var askOrder: [String] = []
  var explainsSkips = false
  /// The permissions whose pre-prompt must lead to the dialog. The other apps offer a way past theirs.
  var preAlerts: [String] = []
  var items: [String: [String: ClosedRange<Int64>]] = [:]
  var skippable: [String]?
  var backFrom: [String]?

  init(app: String, version: Int) {
    switch app {
    case "cleaner": steps = ["start", "photos", "contacts", "push", "all_set", "completed"]
    case "trendy":
      steps = ["welcome", "auth", "create_event_type", "log_first_event", "permissions", "finish"]
      askOrder = ["notifications", "location", "healthkit"]
      explainsSkips = true
    case "smilepile":
      steps = ["welcome", "categories"] + (version == 1 ? ["photo_import"] : []) + ["pin_setup", "complete"]
      items = ["categories": ["piles": 1...5]]
      skippable = ["pin_setup"]
      backFrom = version == 2 ? ["categories", "pin_setup"] : nil
    default:
      steps =
        ["welcome", "assessment", "health_permission", "app_selection"]
        + (version == 2 ? ["important_people", "home_base"] : []) + ["goal_setting", "intention_builder", "ready"]
      preAlerts = ["contacts", "location"]
      items = ["important_people": ["people": 0...5], "home_base": ["networks": 0...3]]
    }
  }
}

extension SimulatedLine {
  /// An event as it is read today: older builds have other names for some.
  struct Today {
    let line: SimulatedLine
    let name: String
    let step: String?

    var progress: Double? { line.property("progress")?.double }

    /// The permission that the event is about, and the end of its name.
    var permission: (name: String, suffix: String)? {
      for suffix in PermissionEventName.Suffix.allCases where name.hasPrefix("perm_") && name.hasSuffix("_\(suffix.rawValue)") {
        return (String(name.dropFirst(5).dropLast(suffix.rawValue.count + 1)), suffix.rawValue)
      }
      return nil
    }
  }

  var today: Today {
    switch name {
    case "onboarding_step":
      let screens = ["photoImport": "photo_import", "pinSetup": "pin_setup"]
      let screen = property("screen")?.string ?? ""
      return Today(line: self, name: "step_viewed", step: screens[screen] ?? screen)
    case "has_completed_onboarding": return Today(line: self, name: "onboarding_completed", step: nil)
    default: return Today(line: self, name: name, step: step)
    }
  }
}
