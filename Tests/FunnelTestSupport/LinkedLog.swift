package import FunnelModel

/// A random log whose events name users, and the same log with the subject of each event replaced by its person: a second
/// computation of the rule, as plain as possible (specification section 13).
package struct LinkedLog: Sendable {
  package struct Event: Sendable {
    package var app: String
    package var subject: String
    package var user: String?
    package var milliseconds: Int
    package var sequence: Int?
    package var id: String
    package var name: String
    /// The members of `props`.
    package var props: String
    /// The other fields, as members of a JSON object, or an empty text.
    package var rest: String

    package func line(subject: String, user: String?) -> String {
      "{\"app\":\"\(app)\",\"subject\":\"\(subject)\"" + (user.map { ",\"user\":\"\($0)\"" } ?? "")
        + ",\"ts\":\(milliseconds)" + (sequence.map { ",\"seq\":\($0)" } ?? "")
        + ",\"id\":\"\(id)\",\"name\":\"\(name)\",\"props\":{\(props)}" + (rest.isEmpty ? "" : ",\(rest)") + "}"
    }

    /// The order of links.
    static func precedes(_ a: Event, _ b: Event) -> Bool {
      (a.milliseconds, a.sequence ?? 0, a.id) < (b.milliseconds, b.sequence ?? 0, b.id)
    }
  }

  package private(set) var events: [Event]

  package static let start = 1_795_000_000_000

  package init(_ events: some Sequence<Event>) { self.events = Array(events) }

  /// Creates a log of `count` events.
  ///
  /// - Parameter interval: The milliseconds between two of the twelve times around which all events are.
  package init(_ count: Int, interval: Int = 3_600_000, using random: inout SeededGenerator) {
    events = []
    let ids = (0..<count).shuffled(using: &random)
    // Some logs have many users on a device, some have many devices of a user.
    let subjectCount = Int.random(in: 2...max(2, count / 10), using: &random)
    let userCount = Int.random(in: 1...max(1, count / 20), using: &random)
    let userShare = Int.random(in: 1...9, using: &random)
    for number in 0..<count {
      let subject = "s\(Int.random(in: 0..<subjectCount, using: &random))"
      var user: String?
      if Int.random(in: 0..<10, using: &random) < userShare {
        user =
          switch Int.random(in: 0..<12, using: &random) {
          case 0: "s\(Int.random(in: 0..<subjectCount, using: &random))"
          case 1: subject
          default: "u\(Int.random(in: 0..<userCount, using: &random))"
          }
      }
      // The same few times are frequent.
      let time = Self.start + Int.random(in: 0..<12, using: &random) * interval + Int.random(in: 0..<3, using: &random) * 500
      let name = Self.names.randomElement(using: &random) ?? ""
      events.append(
        Event(
          app: Int.random(in: 0..<6, using: &random) == 0 ? "scanner" : "cleaner",
          subject: Int.random(in: 0..<15, using: &random) == 0 ? "u\(Int.random(in: 0..<userCount, using: &random))" : subject,
          user: user, milliseconds: time, sequence: Bool.random(using: &random) ? nil : Int.random(in: 0...2, using: &random),
          id: String(String(1_000_000 + ids[number]).dropFirst()), name: name,
          props: "\"size\":\(Int.random(in: 0..<3, using: &random))", rest: Self.rest(of: name, using: &random)))
    }
  }

  private static let names = [
    "opened", "opened", "old_open", "shown", "closed", "step_viewed", "user_linked", "other", "perm_flow_start",
    "perm_photos_pre_prompt_shown", "perm_photos_granted", "perm_photos_denied",
  ]

  private static func rest(of name: String, using random: inout SeededGenerator) -> String {
    var fields: [String] = []
    if name == "step_viewed" {
      fields.append("\"step\":\"\(["screen", "welcome", "photos"].randomElement(using: &random) ?? "")\"")
    }
    if Bool.random(using: &random) { fields.append("\"attempt\":\"\(Int.random(in: 0..<2, using: &random))\"") }
    if Bool.random(using: &random) { fields.append("\"ctx\":{\"variant\":\"\(Bool.random(using: &random) ? "A" : "B")\"}") }
    return fields.joined(separator: ",")
  }

  /// Returns the log without some of its events.
  package func removing(_ isRemoved: (Event) -> Bool) -> LinkedLog { LinkedLog(events.filter { !isRemoved($0) }) }

  /// The lines of the log.
  package var lines: [String] { events.map { $0.line(subject: $0.subject, user: $0.user) } }

  /// The lines without users.
  package var linesOfSubjects: [String] { events.map { $0.line(subject: $0.subject, user: nil) } }

  /// Returns the lines up to a moment, with the person of each event as its subject.
  package func linesOfPersons(upTo now: Timestamp, subjectsMax: Int) -> [String] {
    let known = events.filter { $0.milliseconds <= now.milliseconds }
    return known.map { event in
      let links = known.filter { $0.app == event.app && $0.subject == event.subject && isMerged($0, known, subjectsMax) }
        .sorted(by: Event.precedes)
      let own = isMerged(event, known, subjectsMax) ? event.user : nil
      let next = links.first { Event.precedes(event, $0) }?.user
      return event.line(subject: own ?? next ?? links.last?.user ?? event.subject, user: nil)
    }
  }

  /// Returns whether an event names a user with few enough subjects.
  private func isMerged(_ event: Event, _ known: [Event], _ subjectsMax: Int) -> Bool {
    guard let user = event.user else { return false }
    return Set(known.filter { $0.app == event.app && $0.user == user }.map(\.subject)).count <= subjectsMax
  }
}
