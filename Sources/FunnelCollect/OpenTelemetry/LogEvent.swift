import FunnelImport
import FunnelModel

/// A record of a log as a native event.
struct LogEvent {
  private let record: LogRecord
  private let resource: [Attribute]

  init(_ record: LogRecord, resource: [Attribute]) {
    self.record = record
    self.resource = resource
  }

  /// The attributes of which the first is the subject: those of a device, of the record or else of the resource, before those of an
  /// account, because a login must not cut a device off.
  private static let devices = ["app.installation.id", "device.id", "enduser.pseudo.id"]
  private static let accounts = ["user.id", "enduser.id", "session.id"]
  private static let users = ["user.id", "enduser.id"]
  private static let id = "log.record.uid"
  private static let name = "event.name"
  /// The members of `ctx` and the attributes of the resource that have their values.
  private static let context: [(key: String, attributes: [String])] = [
    ("app_version", ["service.version"]), ("app_build", ["app.build_id"]), ("os", ["os.name"]), ("os_version", ["os.version"]),
    ("device", ["device.model.identifier", "device.model.name"]), ("country", ["geo.country.iso_code"]),
  ]
  private static let nanosecondsPerMillisecond: UInt64 = 1_000_000

  /// The event as one line of JSON. What the record lacks is left out, and the decoder refuses the line.
  var line: [UInt8] {
    var line: [UInt8] = []
    var members: [(key: String, value: PropertyValue)] = []
    let name = record.eventName.isEmpty ? text(Self.name, in: record.attributes) : record.eventName
    if let name, !name.isEmpty {
      members.append(("name", .string(String(decoding: NameFolding.fold(Array(name.utf8).span), as: UTF8.self))))
    }
    let time = record.time == 0 ? record.observedTime : record.time
    if time != 0 { members.append(("ts", .integer(Int64(time / Self.nanosecondsPerMillisecond)))) }
    if let subject = first(Self.devices) ?? first(Self.accounts) {
      // The decoder refuses null. A placeholder would count different people as one.
      members.append(("subject", PlaceholderIDs.contains(Array(subject.utf8).span) ? .null : .string(subject)))
    }
    if let user = first(Self.users) { members.append(("user", .string(user))) }
    if let id = text(Self.id, in: record.attributes) { members.append(("id", .string(id))) }
    line.appendJSONObject(members)
    line.removeLast()
    append("ctx", contextMembers, to: &line)
    append("props", properties, to: &line)
    line.append(UInt8(ascii: "}"))
    return line
  }

  private func append(_ key: String, _ members: [(key: String, value: PropertyValue)], to line: inout [UInt8]) {
    guard !members.isEmpty else { return }
    if line.last != UInt8(ascii: "{") { line.append(UInt8(ascii: ",")) }
    line.appendJSONString(key)
    line.append(UInt8(ascii: ":"))
    line.appendJSONObject(members)
  }

  private var contextMembers: [(key: String, value: PropertyValue)] {
    Self.context.compactMap { key, attributes in
      attributes.lazy.compactMap { text($0, in: resource) }.first.map { (key, .string($0)) }
    }
  }

  /// The attributes and the body, without the IDs of persons, devices and sessions.
  private var properties: [(key: String, value: PropertyValue)] {
    let consumed = Set(Self.devices + Self.accounts + [Self.id, Self.name])
    var properties: [(key: String, value: PropertyValue)] = []
    var keys: Set<String> = []
    func add(_ key: String, _ value: AttributeValue) {
      switch value {
      case .members(let members): for member in members { add("\(key).\(member.key)", member.value) }
      case .leftOut: break
      case .string, .bool, .integer, .double:
        guard let property = value.property, keys.insert(key).inserted else { return }
        properties.append((key, property))
      }
    }
    for attribute in record.attributes where !consumed.contains(attribute.key) { add(attribute.key, attribute.value) }
    add("body", record.body)
    return properties
  }

  /// Returns the text of the first attribute that has one: of the record, else of the resource.
  private func first(_ keys: [String]) -> String? {
    for attributes in [record.attributes, resource] {
      for key in keys {
        if let text = text(key, in: attributes), !text.isEmpty { return text }
      }
    }
    return nil
  }

  /// Returns the text of an attribute that is a text or a whole number, or `nil` if there is none.
  private func text(_ key: String, in attributes: [Attribute]) -> String? {
    switch attributes.first(where: { $0.key == key })?.value {
    case .string(let text): text
    case .integer(let number): String(number)
    case .bool, .double, .members, .leftOut, nil: nil
    }
  }
}

extension AttributeValue {
  /// The value as that of a property, or `nil` if it has no such form.
  fileprivate var property: PropertyValue? {
    switch self {
    case .string(let text): .string(text)
    case .bool(let flag): .bool(flag)
    case .integer(let number): .integer(number)
    case .double(let number): number.isFinite ? .double(number) : nil
    case .members, .leftOut: nil
    }
  }
}
