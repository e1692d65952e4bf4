import FunnelModel

/// Rewrites a record of Snowplow to one shape: a line of the enriched stream, or JSON of an analytics SDK, a loader or a
/// warehouse.
///
/// Only the lines have fixed names. The keys of the JSON name schemas (`unstruct_event_com_acme_signed_up_1`), and the cells of
/// the lines contain self-describing JSON. In the one shape
/// - `unstruct_event` is the data of a self-describing event;
/// - `contexts` is an object of the contexts by their schemas (`com_acme_user_1`), and a schema with several contexts has a list;
/// - `struct_event` has the values of a structured event, and `page_event` those of a page view or a page ping;
/// - `event_name` is the name of the schema, also if the record names it only there;
/// - a missing value, null and the zero UUID are the same;
/// - all other members are as they were.
///
/// A record in this shape stays as it is, so a rejected record can be stored in it. Not thread-safe: each reader owns one.
final class SnowplowNormalizer {
  private let parser = ImportedRecordParser()
  private let cells = JSONCellParser()
  /// The line as JSON.
  private let flat = LineBuffer()
  /// The normalized record.
  private let record = LineBuffer()
  /// The contexts of the record, by the key of their schema.
  private var contexts: [(key: [UInt8], elements: [[UInt8]])] = []
  /// The name of the event's schema, or `nil` if only `event_name` can have it.
  private var schemaName: [UInt8]?
  private var hasEvent = false

  /// Returns the normalized record, followed by padding and valid until the next call.
  ///
  /// Returns `nil` if the text is neither exactly one JSON object nor a line of the enriched stream, or if the result would exceed
  /// the size of a line. The padding of the JSON parser must follow the text.
  @_lifetime(copy text)
  func normalize(_ text: Span<UInt8>) -> Span<UInt8>? {
    record.removeAll()
    contexts.removeAll()
    schemaName = nil
    hasEvent = false
    guard text.beginsContainer ? normalize(json: text) : normalize(line: text) else { return nil }
    let result = record
    let count = result.count
    guard count <= Limits.lineBytesMax else { return nil }
    result.appendZeros(ImportedRecordParser.paddingBytes)
    return _overrideLifetime(result.bytes.extracting(first: count), copying: text)
  }

  private func normalize(line: Span<UInt8>) -> Bool {
    let flat = flat
    flat.removeAll()
    guard SnowplowLine.appendJSON(of: line, to: flat) else { return false }
    let count = flat.count
    flat.appendZeros(ImportedRecordParser.paddingBytes)
    return normalize(json: flat.bytes.extracting(first: count))
  }

  private func normalize(json: Span<UInt8>) -> Bool {
    guard let fields = parser.parse(json) else { return false }
    record.append(UInt8(ascii: "{"))
    var index = 0
    while index < fields.count {
      if !fields[index].isAbsent { addMember(index, of: fields) }
      index = fields.end(of: index)
    }
    appendContexts()
    appendSchemaName(of: fields)
    appendStructuredEvent(of: fields)
    appendPageEvent(of: fields)
    record.append(UInt8(ascii: "}"))
    return true
  }

  // MARK: Members

  /// Adds a member of the record that has a value.
  private func addMember(_ index: Int, of fields: ImportedFields) {
    let key = fields[index].key
    if let schema = key.lowercasedRemainder(after: "unstruct_event") {
      addEvent(index, of: fields, schema: schema)
    } else if let schema = key.lowercasedRemainder(after: "contexts") {
      addContexts(index, of: fields, schema: schema)
    } else if key.lowercasedRemainder(after: "derived_contexts") != nil {
      addContexts(index, of: fields, schema: [])
    } else if key.isEqual(to: "struct_event") || key.isEqual(to: "page_event") {
      // They are made of the other members again.
    } else if fields[index].string?.isEqual(to: Self.zeroUUID) != true {
      beginMember(key)
      record.appendJSON(at: index, of: fields)
    }
  }

  /// The zero UUID. Trackers send it if they may not identify the person or the device.
  private static let zeroUUID: StaticString = "00000000-0000-0000-0000-000000000000"

  private func beginMember(_ key: Span<UInt8>) {
    if record.count > 1 { record.append(UInt8(ascii: ",")) }
    record.appendJSONString(key)
    record.append(UInt8(ascii: ":"))
  }

  private func beginMember(_ key: StaticString) {
    record.append(record.count > 1 ? ",\"" : "\"")
    record.append(key)
    record.append("\":")
  }

  // MARK: Self-describing events

  /// Adds the data of a self-describing event, unless the record has one already.
  ///
  /// - Parameter schema: The part of the member's key that names the schema. Empty if the value does.
  private func addEvent(_ index: Int, of fields: ImportedFields, schema: [UInt8]) {
    guard !hasEvent else { return }
    if let text = fields[index].string, let cell = cells.parse(text) { return addEvent(0, of: cell, schema: schema) }
    hasEvent = true
    var data = index
    if !schema.isEmpty { schemaName = SnowplowSchema.withoutVersion(schema) }
    // The cell of a line has two layers: that of all such events, and that of this one.
    for _ in 0..<Self.layersMax {
      guard let described = SelfDescribingData(index: data, of: fields) else { break }
      schemaName = described.schema.name
      data = described.data
    }
    beginMember("unstruct_event")
    record.appendJSON(at: data, of: fields)
  }

  private static let layersMax = 2

  /// Appends the name of the schema if the record has no `event_name`.
  private func appendSchemaName(of fields: ImportedFields) {
    guard let schemaName, value("event_name", of: fields) == nil else { return }
    beginMember("event_name")
    record.appendJSONString(schemaName.span)
  }

  // MARK: Contexts

  /// Adds the contexts in a member.
  ///
  /// - Parameter schema: The part of the member's key that names the schema. Empty if the contexts do.
  private func addContexts(_ index: Int, of fields: ImportedFields, schema: [UInt8]) {
    if let text = fields[index].string {
      if let cell = cells.parse(text) { addContexts(0, of: cell, schema: schema) }
      return
    }
    if !schema.isEmpty { return addContext(index, of: fields, key: SnowplowSchema.withMajorVersion(schema)) }
    if let described = SelfDescribingData(index: index, of: fields) {
      var element = described.data + 1
      while element < fields.end(of: described.data) {
        if let context = SelfDescribingData(index: element, of: fields) {
          addContext(context.data, of: fields, key: context.schema.key)
        }
        element = fields.end(of: element)
      }
    } else if fields[index].isObject {
      var member = index + 1
      while member < fields.end(of: index) {
        addContext(member, of: fields, key: [UInt8](copying: fields[member].key))
        member = fields.end(of: member)
      }
    }
  }

  /// Adds a context, or each of a list of contexts of one schema.
  private func addContext(_ index: Int, of fields: ImportedFields, key: [UInt8]) {
    if fields[index].isArray {
      var element = index + 1
      while element < fields.end(of: index) {
        addContext(element, of: fields, key: key)
        element = fields.end(of: element)
      }
    }
    guard fields[index].isObject else { return }
    let element = LineBuffer()
    element.append(UInt8(ascii: "{"))
    var member = index + 1
    while member < fields.end(of: index) {
      if fields[member].string?.isEqual(to: Self.zeroUUID) != true {
        if element.count > 1 { element.append(UInt8(ascii: ",")) }
        element.appendJSONString(fields[member].key)
        element.append(UInt8(ascii: ":"))
        element.appendJSON(at: member, of: fields)
      }
      member = fields.end(of: member)
    }
    element.append(UInt8(ascii: "}"))
    if let known = contexts.firstIndex(where: { $0.key == key }) {
      contexts[known].elements.append([UInt8](copying: element.bytes))
    } else {
      contexts.append((key, [[UInt8](copying: element.bytes)]))
    }
  }

  private func appendContexts() {
    guard !contexts.isEmpty else { return }
    beginMember("contexts")
    record.append(UInt8(ascii: "{"))
    for (index, context) in contexts.enumerated() {
      if index > 0 { record.append(UInt8(ascii: ",")) }
      record.appendJSONString(context.key.span)
      record.append(UInt8(ascii: ":"))
      let isList = context.elements.count > 1
      if isList { record.append(UInt8(ascii: "[")) }
      record.append(Array(context.elements.joined(separator: [UInt8(ascii: ",")])))
      if isList { record.append(UInt8(ascii: "]")) }
    }
    record.append(UInt8(ascii: "}"))
  }

  // MARK: Structured events and pages

  private func appendStructuredEvent(of fields: ImportedFields) {
    guard isEvent(of: fields, "struct") else { return }
    appendObject(
      "struct_event", of: fields,
      [
        Copy("category", of: "se_category"), Copy("label", of: "se_label"), Copy("property", of: "se_property"),
        Copy("value", of: "se_value", isNumber: true),
      ])
  }

  private func appendPageEvent(of fields: ImportedFields) {
    guard isEvent(of: fields, "page_view") || isEvent(of: fields, "page_ping") else { return }
    appendObject(
      "page_event", of: fields,
      [Copy("page", of: "page_title"), Copy("url", of: "page_url"), Copy("refr", of: "page_referrer")])
  }

  /// Returns whether the event has a type.
  private func isEvent(of fields: ImportedFields, _ type: StaticString) -> Bool {
    value("event", of: fields).flatMap { fields[$0].string?.isEqual(to: type) } ?? false
  }

  /// A copy of a member of the record, under another key.
  private struct Copy {
    let key: StaticString
    let source: StaticString
    /// Whether the value is a number, which lines and some warehouses write as a text.
    let isNumber: Bool

    init(_ key: StaticString, of source: StaticString, isNumber: Bool = false) {
      self.key = key
      self.source = source
      self.isNumber = isNumber
    }
  }

  /// Appends an object of copies of those members that have a value.
  private func appendObject(_ name: StaticString, of fields: ImportedFields, _ copies: [Copy]) {
    beginMember(name)
    record.append(UInt8(ascii: "{"))
    var isFirst = true
    for copy in copies {
      guard let index = value(copy.source, of: fields) else { continue }
      record.append(isFirst ? "\"" : ",\"")
      record.append(copy.key)
      record.append("\":")
      isFirst = false
      if copy.isNumber, let text = fields[index].string, let number = Double(String(decoding: text)), number.isFinite {
        record.append(Array(number.jsonText.utf8))
      } else {
        record.appendJSON(at: index, of: fields)
      }
    }
    record.append(UInt8(ascii: "}"))
  }

  /// Returns the index of a member of the record that has a value, or `nil` if there is none.
  private func value(_ key: StaticString, of fields: ImportedFields) -> Int? {
    guard let index = fields.topLevelMember(key) ?? fields.topLevelMember(inUpperCase: key), !fields[index].isAbsent else {
      return nil
    }
    return index
  }
}

extension Span<UInt8> {
  /// Returns the bytes after a prefix, in lowercase, or `nil` if the text does not begin with the prefix in lower or upper case.
  ///
  /// A remainder begins with `_`, which is removed, or is empty.
  fileprivate func lowercasedRemainder(after prefix: StaticString) -> [UInt8]? {
    let length = prefix.utf8CodeUnitCount
    guard count >= length, (0..<length).allSatisfy({ self[$0].lowercased == prefix.utf8Start[$0] }) else { return nil }
    guard count > length else { return [] }
    guard self[length] == UInt8(ascii: "_") else { return nil }
    return (length + 1..<count).map { self[$0].lowercased }
  }
}

extension UInt8 {
  fileprivate var lowercased: UInt8 { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self }
}
