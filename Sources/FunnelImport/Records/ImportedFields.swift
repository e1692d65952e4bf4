internal import CSimdJSON
import FunnelModel

/// The fields of one parsed JSON record in document order. An object or array is followed by its descendants.
struct ImportedFields {
  let fields: UnsafeBufferPointer<funnel_json_field>

  /// The number of fields at all levels.
  var count: Int { fields.count }

  /// Returns the field at an index.
  @inline(__always)
  subscript(index: Int) -> ImportedValue {
    assert(fields.indices.contains(index), "the field does not exist")
    return ImportedValue(pointer: fields.baseAddress! + index)
  }

  /// Returns the index after a field and all its descendants.
  @inline(__always)
  func end(of index: Int) -> Int { index + 1 + Int(fields[index].children) }

  /// Returns the index of the first member of an object with a key, or `nil` if there is none.
  func member(_ key: StaticString, of index: Int) -> Int? { member(key, in: index + 1..<end(of: index)) }

  /// Returns the index of the first top-level member with a key, or `nil` if there is none.
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

/// A value of an imported record, with its key. Valid as long as the record.
struct ImportedValue {
  let pointer: UnsafePointer<funnel_json_field>

  /// The key, or empty bytes for an element of an array.
  @inline(__always)
  var key: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: pointer.pointee.key, count: Int(pointer.pointee.key_length))
  }

  /// Whether the value is an object.
  @inline(__always)
  var isObject: Bool { pointer.pointee.kind == FUNNEL_JSON_OBJECT.rawValue }

  /// Whether the value is an array.
  @inline(__always)
  var isArray: Bool { pointer.pointee.kind == FUNNEL_JSON_ARRAY.rawValue }

  /// Whether the value is null.
  var isNull: Bool { pointer.pointee.kind == FUNNEL_JSON_NULL.rawValue }

  /// The text of a string, or `nil` if the value has another type.
  @inline(__always)
  var string: UnsafeRawBufferPointer? {
    guard pointer.pointee.kind == FUNNEL_JSON_STRING.rawValue else { return nil }
    return UnsafeRawBufferPointer(start: pointer.pointee.text, count: Int(pointer.pointee.text_length))
  }

  /// Whether the value counts as absent: null, or an empty string.
  var isAbsent: Bool { isNull || string?.isEmpty == true }

  /// The integer, or `nil` if the value has another type or exceeds `Int64`.
  var integer: Int64? {
    pointer.pointee.kind == FUNNEL_JSON_INTEGER.rawValue ? pointer.pointee.value.integer : nil
  }

  /// The JSON text of a number, or `nil` if the value has another type.
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

  /// The text of a string or a number, or `nil` if the value has another type.
  var scalarText: [UInt8]? { string.map { Array($0) } ?? numberText }

  /// Whether the value is a string or a number.
  var hasText: Bool { string != nil || numberText != nil }

  /// Whether the value is neither an object nor an array.
  @inline(__always)
  var isScalar: Bool { !isObject && !isArray }

  /// The text of an integer that Google's export writes as a string under the key `int_value`, or `nil` if the value
  /// is not such a string.
  var integerText: UnsafeRawBufferPointer? {
    guard key.elementsEqual(UnsafeRawBufferPointer("int_value")), let text = string, let number = DecimalMoment(text),
      number.isWhole, !text.contains(UInt8(ascii: "."))
    else { return nil }
    // JSON integers have no leading zeros, so such a string stays a string.
    let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
    return digits.count > 1 && digits.first == UInt8(ascii: "0") ? nil : text
  }

  /// Appends a scalar as JSON. An object or an array is appended as `null`.
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

  /// The scalar as the value of a property, or `nil` for an object or an array.
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

  /// The JSON type of the value in words, for error messages.
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
