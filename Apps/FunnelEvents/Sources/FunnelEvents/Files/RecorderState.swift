import Foundation

/// The contents of `recorder.state`, the file of a recorder beside its events. It is replaced as a whole.
///
/// Its name does not end with `.json`, so that `funnel ingest` of the folder does not read it.
///
///     {"v":1,"id":"0c6f5e21a9b4","next_seq":4711,"dropped":0,"opted_out":false,"opted_in":true,"subject":"5f1c…","user":"u-17",
///      "attempts":{"paywall":"0c6f…"},"clocks":{"4700":"5f1c0a3b-1795100000000"}}
///
/// `opted_in` is true only if the app has called `optIn()`: earlier versions wrote `"opted_out":false` without any choice. `clocks` has the
/// setting of the device's clock (``DeviceClock``) for each closed file, by the `seq` of the file's first event.
///
/// `next_seq` may be less than the `seq` of events in the open file, which are newer. If the file is lost or damaged,
/// `seq` continues after the one in the names of the event files. Everything else is lost, and the folder gets a new ID.
struct RecorderState: Hashable {
  /// Whether the person opted in or opted out.
  enum Choice: Hashable {
    case optedIn, optedOut
  }

  /// The random ID of the folder, different for each install. It is not derived from the person or the device.
  private(set) var folderID = Self.randomID()
  /// The `seq` of the next event.
  var nextSequence = 0
  /// The number of events that were dropped.
  var dropped = 0
  /// Whether the person has opted in or out, or `nil` for neither.
  var choice: Choice?
  /// The subject of later events, or `nil` if the folder has none yet.
  var subject: String?
  /// The user of later events, or `nil` if none is signed in.
  var user: String?
  /// The ID of the current attempt of each flow.
  var attempts: [String: String] = [:]
  /// The setting of the device's clock for each closed file, by the `seq` of the file's first event.
  var clocks: [Int: DeviceClock] = [:]

  /// Creates the state of a new folder.
  init() {}

  /// Parses a state, or returns `nil` if the bytes are not one.
  init?(json bytes: [UInt8]) {
    let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    guard let object, let next = object["next_seq"] as? Int, next >= 0, let dropped = object["dropped"] as? Int, dropped >= 0,
      let attempts = object["attempts"] as? [String: String]
    else { return nil }
    // Earlier versions stored neither an ID nor a subject.
    if let id = object["id"] as? String, !id.isEmpty { folderID = id }
    nextSequence = next
    self.dropped = dropped
    self.attempts = attempts
    if object["opted_in"] as? Bool == true { choice = .optedIn }
    if object["opted_out"] as? Bool == true { choice = .optedOut }
    subject = object["subject"] as? String
    user = object["user"] as? String
    for (first, text) in object["clocks"] as? [String: String] ?? [:] {
      let parts = text.split(separator: "-")
      guard let first = Int(first), parts.count == 2, let offset = Int64(parts[1]) else { continue }
      clocks[first] = DeviceClock(session: String(parts[0]), offset: offset)
    }
  }

  /// The state as JSON.
  var json: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(text: "{\"v\":1,\"id\":\"\(folderID)\",\"next_seq\":\(nextSequence),\"dropped\":\(dropped)")
    bytes.append(text: ",\"opted_out\":\(choice == .optedOut)")
    if choice == .optedIn { bytes.append(text: ",\"opted_in\":true") }
    for (key, text) in [("subject", subject), ("user", user)] {
      guard let text else { continue }
      bytes.append(text: ",\"\(key)\":")
      bytes.appendJSONString(text)
    }
    bytes.append(text: ",\"attempts\":")
    bytes.appendJSONObject(attempts.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
    if !clocks.isEmpty {
      bytes.append(text: ",\"clocks\":")
      bytes.appendJSONObject(
        clocks.sorted { $0.key < $1.key }.map { ("\($0.key)", .string("\($0.value.session)-\($0.value.offset)")) })
    }
    bytes.append(text: "}\n")
    return bytes
  }

  /// Whether recording is stopped.
  ///
  /// - Parameter isDefault: Whether it is as long as the person has not chosen.
  func isOptedOut(byDefault isDefault: Bool) -> Bool { choice.map { $0 == .optedOut } ?? isDefault }

  /// Sets the state for another person on the same device. The folder gets a new ID, so event IDs do not connect the two people.
  mutating func reset(subject: String?) {
    folderID = Self.randomID()
    self.subject = subject
    user = nil
    attempts = [:]
  }

  /// Stops recording and forgets the person.
  mutating func optOut() {
    choice = .optedOut
    reset(subject: nil)
  }

  /// Begins to record.
  ///
  /// - Parameters:
  ///   - wasOptedOut: Whether recording was stopped before.
  ///   - firstSubject: The subject of a folder that has none and was never opted out of, or `nil` for a random one.
  mutating func optIn(wasOptedOut: Bool, firstSubject: String?) {
    // A new subject, so that nothing connects the events with those before the opt-out.
    if choice == .optedOut { reset(subject: Identity.randomSubject()) }
    choice = .optedIn
    if wasOptedOut {
      user = nil
      attempts = [:]
    }
    subject = subject ?? firstSubject ?? Identity.randomSubject()
  }

  /// The number of hexadecimal digits of an ID.
  private static let idDigits = 12

  private static func randomID() -> String {
    String(UUID().uuidString.lowercased().filter { $0 != "-" }.suffix(idDigits))
  }
}
