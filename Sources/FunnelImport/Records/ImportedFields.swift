internal import CSimdJSON
import FunnelModel

/// The fields of a record in their order, each object and array followed by what is in it.
struct ImportedFields {
  let fields: UnsafeBufferPointer<funnel_json_field>

  var count: Int { fields.count }

  @inline(__always)
  subscript(index: Int) -> ImportedValue { ImportedValue(pointer: fields.baseAddress! + index) }

  /// Returns the index behind a field and everything in it.
  @inline(__always)
  func end(of index: Int) -> Int { index + 1 + Int(fields[index].children) }

  /// Returns the member of an object that a key names.
  func member(_ key: StaticString, of index: Int) -> Int? { member(key, in: index + 1..<end(of: index)) }

  /// Returns the member of the record that a key names.
  func topLevelMember(_ key: StaticString) -> Int? { member(key, in: 0..<count) }

  private func member(_ key: StaticString, in range: Range<Int>) -> Int? {
    var member = range.lowerBound
    while member < range.upperBound {
      if self[member].key.elementsEqual(UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)) {
        return member
      }
      member = end(of: member)
    }
    return nil
  }
}

/// A value in a foreign record.
struct ImportedValue {
  let pointer: UnsafePointer<funnel_json_field>

  /// The key; empty for an element of an array.
  @inline(__always)
  var key: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: pointer.pointee.key, count: Int(pointer.pointee.key_length))
  }

  @inline(__always)
  var isObject: Bool { pointer.pointee.kind == FUNNEL_JSON_OBJECT.rawValue }

  @inline(__always)
  var isArray: Bool { pointer.pointee.kind == FUNNEL_JSON_ARRAY.rawValue }

  var isNull: Bool { pointer.pointee.kind == FUNNEL_JSON_NULL.rawValue }

  /// The text of a string, or nil for any other value.
  @inline(__always)
  var string: UnsafeRawBufferPointer? {
    guard pointer.pointee.kind == FUNNEL_JSON_STRING.rawValue else { return nil }
    return UnsafeRawBufferPointer(start: pointer.pointee.text, count: Int(pointer.pointee.text_length))
  }

  /// Whether the value counts as absent: null, or an empty string.
  var isAbsent: Bool { isNull || string?.isEmpty == true }

  /// The integer, or nil for any other value.
  var integer: Int64? {
    pointer.pointee.kind == FUNNEL_JSON_INTEGER.rawValue ? pointer.pointee.value.integer : nil
  }

  /// The number as JSON text, or nil for any other value.
  var numberText: [UInt8]? {
    var text: [UInt8] = []
    switch funnel_json_kind(rawValue: pointer.pointee.kind) {
    case FUNNEL_JSON_INTEGER: text.appendDecimal(pointer.pointee.value.integer)
    case FUNNEL_JSON_UNSIGNED: text.append(text: String(pointer.pointee.value.magnitude))
    case FUNNEL_JSON_DOUBLE: text.appendJSONNumber(pointer.pointee.value.number)
    default: return nil
    }
    return text
  }

  /// A string, or a number as text; nil for any other value.
  var scalarText: [UInt8]? { string.map { Array($0) } ?? numberText }

  /// Whether the value is a string or a number.
  var hasText: Bool { string != nil || numberText != nil }

  @inline(__always)
  var isScalar: Bool { !isObject && !isArray }

  /// The digits of an integer that is written as a string under the key `int_value`, as Google's export does; nil for any other value.
  var integerText: UnsafeRawBufferPointer? {
    guard key.elementsEqual(UnsafeRawBufferPointer("int_value")), let text = string, let number = DecimalMoment(text),
      number.isWhole, !text.contains(UInt8(ascii: "."))
    else { return nil }
    // With a zero in front, it is no integer of JSON, and stays a string.
    let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
    return digits.count > 1 && digits.first == UInt8(ascii: "0") ? nil : text
  }

  /// Appends a scalar as JSON.
  @inline(__always)
  func appendJSON(to bytes: LineBuffer) {
    switch funnel_json_kind(rawValue: pointer.pointee.kind) {
    case FUNNEL_JSON_STRING:
      bytes.appendJSONString(UnsafeRawBufferPointer(start: pointer.pointee.text, count: Int(pointer.pointee.text_length)))
    case FUNNEL_JSON_INTEGER: bytes.appendDecimal(pointer.pointee.value.integer)
    case FUNNEL_JSON_UNSIGNED, FUNNEL_JSON_DOUBLE: bytes.append(numberText ?? [])
    case FUNNEL_JSON_TRUE: bytes.append("true")
    case FUNNEL_JSON_FALSE: bytes.append("false")
    default: bytes.append("null")
    }
  }

  /// The scalar as a property's value, or nil for an object or an array.
  var propertyValue: PropertyValue? {
    switch funnel_json_kind(rawValue: pointer.pointee.kind) {
    case FUNNEL_JSON_STRING: .string(String(decoding: string!, as: UTF8.self))
    case FUNNEL_JSON_INTEGER: .integer(pointer.pointee.value.integer)
    case FUNNEL_JSON_UNSIGNED: .double(Double(pointer.pointee.value.magnitude))
    case FUNNEL_JSON_DOUBLE:
      Int64(exactly: pointer.pointee.value.number).map(PropertyValue.integer) ?? .double(pointer.pointee.value.number)
    case FUNNEL_JSON_TRUE: .bool(true)
    case FUNNEL_JSON_FALSE: .bool(false)
    case FUNNEL_JSON_NULL: .null
    default: nil
    }
  }

  /// The kind of the value, in words.
  var kindName: String {
    switch funnel_json_kind(rawValue: pointer.pointee.kind) {
    case FUNNEL_JSON_STRING: "a string"
    case FUNNEL_JSON_INTEGER, FUNNEL_JSON_UNSIGNED, FUNNEL_JSON_DOUBLE: "a number"
    case FUNNEL_JSON_TRUE, FUNNEL_JSON_FALSE: "a boolean"
    case FUNNEL_JSON_NULL: "null"
    case FUNNEL_JSON_OBJECT: "an object"
    default: "an array"
    }
  }
}
