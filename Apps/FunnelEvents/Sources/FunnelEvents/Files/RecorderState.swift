import Foundation
/// The contents of `recorder.state`, the file of a recorder beside its events. It is replaced as a whole.
///
/// Its name does not end with `.json`, so that `funnel ingest` of the folder does not read it.
///
///     {"v":1,"id":"0c6f5e21a9b4","next_seq":4711,"dropped":0,"attempts":{"paywall":"0c6f…"}}
///
/// `next_seq` may be less than the `seq` of events in the open file, which are newer. If the file is lost or damaged, the
/// names of the event files still contain the last `seq`, but the current attempts are lost, and the folder gets a new ID.
struct RecorderState: Hashable {
  /// The random ID of the folder, different for each install. It is not derived from the person or the device.
  private(set) var folderID = Self.randomID()
  /// The `seq` of the next event.
  var nextSequence = 0
  /// The number of events that were dropped.
  var dropped = 0
  /// The ID of the current attempt of each flow.
  var attempts: [String: String] = [:]

  /// Creates the state of a new folder.
  init() {}

  /// Parses a state, or returns `nil` if the bytes are not one.
  init?(json bytes: [UInt8]) {
    let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    guard let object, let next = object["next_seq"] as? Int, next >= 0, let dropped = object["dropped"] as? Int, dropped >= 0,
      let attempts = object["attempts"] as? [String: String]
    else { return nil }
    // Earlier versions stored no ID.
    if let id = object["id"] as? String, !id.isEmpty { folderID = id }
    nextSequence = next
    self.dropped = dropped
    self.attempts = attempts
  }

  /// The state as JSON.
  var json: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(text: "{\"v\":1,\"id\":\"\(folderID)\",\"next_seq\":\(nextSequence),\"dropped\":\(dropped),\"attempts\":{")
    for (index, attempt) in attempts.sorted(by: { $0.key < $1.key }).enumerated() {
      bytes.append(text: index == 0 ? "" : ",")
      bytes.appendJSONString(attempt.key)
      bytes.append(text: ":")
      bytes.appendJSONString(attempt.value)
    }
    bytes.append(text: "}}\n")
    return bytes
  }

  /// The number of hexadecimal digits of an ID.
  private static let idDigits = 12

  private static func randomID() -> String {
    String(UUID().uuidString.lowercased().filter { $0 != "-" }.suffix(idDigits))
  }
}
