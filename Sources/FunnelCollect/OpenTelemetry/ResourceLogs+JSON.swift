import FunnelModel

// Reading an `ExportLogsServiceRequest` of opentelemetry-proto 1.x as JSON.
extension ResourceLogs {
  /// Reads a request, or returns `nil` if the value is no such object.
  static func read(json root: JSONDocument.Node) -> [ResourceLogs]? {
    guard root.object != nil else { return nil }
    guard let resources = root["resourceLogs"] else { return [] }
    return resources.array?.map { resource in
      var logs = ResourceLogs()
      logs.resource = attributes(resource["resource"]?["attributes"])
      for scope in resource["scopeLogs"]?.array ?? [] {
        logs.records += (scope["logRecords"]?.array ?? []).map { record($0) }
      }
      return logs
    }
  }

  private static func record(_ node: JSONDocument.Node) -> LogRecord {
    var record = LogRecord()
    record.time = node["timeUnixNano"].flatMap(unsigned) ?? 0
    record.observedTime = node["observedTimeUnixNano"].flatMap(unsigned) ?? 0
    record.eventName = node["eventName"]?.string ?? ""
    record.body = node["body"].map(value) ?? .leftOut
    record.attributes = attributes(node["attributes"])
    return record
  }

  private static func attributes(_ node: JSONDocument.Node?) -> [Attribute] {
    (node?.array ?? []).compactMap { attribute in
      attribute["key"]?.string.map { Attribute(key: $0, value: attribute["value"].map(value) ?? .leftOut) }
    }
  }

  private static func value(_ node: JSONDocument.Node) -> AttributeValue {
    if let text = node["stringValue"]?.string { return .string(text) }
    if let flag = node["boolValue"]?.bool { return .bool(flag) }
    // 64-bit numbers are texts or numbers.
    if let number = node["intValue"] {
      return (number.string.flatMap { Int64($0) } ?? number.integer).map { .integer($0) } ?? .leftOut
    }
    if let number = node["doubleValue"]?.double { return .double(number) }
    if let members = node["kvlistValue"] { return .members(attributes(members["values"])) }
    return .leftOut
  }

  /// Returns a number that may be written as a text.
  private static func unsigned(_ node: JSONDocument.Node) -> UInt64? {
    switch node.value {
    case .string(let text), .number(let text): UInt64(text)
    case .null, .bool, .array, .object: nil
    }
  }
}
