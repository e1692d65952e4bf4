import FunnelModel

/// The columns of a CSV that a mapping needs, guessed by their names.
public struct MappingColumns: Hashable, Sendable {
  /// The column of the subject, the time and the name.
  public let subject: String
  public let timestamp: String
  public let name: String
  /// The column of the id, if one looks like it.
  public let id: String?
  /// The columns that become properties.
  public let props: [String]

  /// Guesses the columns, or returns nil if there are fewer than three.
  init?(_ columns: [String]) {
    var rest = columns
    func take(_ words: [String]) -> String? {
      let folded = rest.map { column in column.lowercased().filter { $0.isLetter || $0.isNumber } }
      for word in words { if let index = folded.firstIndex(of: word) { return rest.remove(at: index) } }
      for word in words { if let index = folded.firstIndex(where: { $0.contains(word) }) { return rest.remove(at: index) } }
      return nil
    }
    let id = take(["eventid", "insertid", "messageid", "uuid"])
    let name = take(["eventname", "eventtype", "event", "name", "action", "type"])
    let timestamp = take(["timestamp", "ts", "eventtime", "time", "createdat", "occurredat", "datetime", "date", "at"])
    let subject = take([
      "subject", "anonymousid", "deviceid", "installid", "userpseudoid", "distinctid", "userid", "clientid", "visitorid",
      "user",
      "device", "install", "id",
    ])
    guard let name = name ?? rest.first, let timestamp = timestamp ?? rest.first(where: { $0 != name }),
      let subject = subject ?? rest.first(where: { $0 != name && $0 != timestamp })
    else { return nil }
    (self.id, self.name, self.timestamp, self.subject) = (id, name, timestamp, subject)
    props = rest.filter { $0 != name && $0 != timestamp && $0 != subject }
  }

  /// The mapping of the columns alone, by which the names of events are found.
  var mapping: ImportMapping {
    var mapping = ImportMapping(source: "")
    mapping.format = .csv
    mapping.subject = [ForeignPath(column: subject)]
    mapping.timestamp = [ForeignPath(column: timestamp)]
    mapping.name = [ForeignPath(column: name)]
    mapping.id = id.map { [ForeignPath(column: $0)] } ?? []
    return mapping
  }

  /// Appends the members of the mapping.
  func append(to bytes: inout [UInt8]) {
    for (key, column) in [("subject", subject), ("id", id), ("ts", timestamp), ("name", name)] {
      guard let column else { continue }
      bytes.append(text: "  \"\(key)\": ")
      bytes.appendJSONString(column)
      bytes.append(text: ",\n")
    }
    guard !props.isEmpty else { return }
    bytes.append(text: "  \"props\": {")
    for (index, column) in props.enumerated() {
      if index > 0 { bytes.append(text: ", ") }
      bytes.appendJSONString(column)
      bytes.append(text: ": ")
      bytes.appendJSONString(column)
    }
    bytes.append(text: "},\n")
  }

  var evidence: [String] {
    [
      "columns: subject is \(subject), ts is \(timestamp), name is \(name)\(id.map { ", id is \($0)" } ?? "")"
        + (props.isEmpty ? "" : "; the others become properties: \(props.joined(separator: ", "))")
    ]
  }
}
