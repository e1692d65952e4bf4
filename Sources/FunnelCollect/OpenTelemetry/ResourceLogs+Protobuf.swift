import FunnelModel
import FunnelSystem

// Reading an `ExportLogsServiceRequest` of opentelemetry-proto 1.x as Protocol Buffers.
extension ResourceLogs {
  private typealias Malformed = ProtobufReader.Malformed

  /// The deepest nesting of attributes. Deeper values are left out.
  private static let depthMax = 32

  /// Reads a request.
  ///
  /// - Throws: `Malformed` if it is cut or no such message.
  static func read(protobuf text: Span<UInt8>) throws(ProtobufReader.Malformed) -> [ResourceLogs] {
    var logs: [ResourceLogs] = []
    var reader = ProtobufReader(text, in: 0..<text.count)
    while let field = try reader.next() {
      if case (1, .bytes(let range)) = field { logs.append(try resourceLogs(text, in: range)) }
    }
    return logs
  }

  private static func resourceLogs(_ text: Span<UInt8>, in range: Range<Int>) throws(Malformed) -> ResourceLogs {
    var logs = ResourceLogs()
    var reader = ProtobufReader(text, in: range)
    while let field = try reader.next() {
      switch field {
      case (1, .bytes(let range)): logs.resource += try attributes(text, in: range, field: 1, depth: 0)
      case (2, .bytes(let range)): try addRecords(text, in: range, to: &logs)
      default: break
      }
    }
    return logs
  }

  /// Adds the records of a scope.
  private static func addRecords(
    _ text: Span<UInt8>, in range: Range<Int>, to logs: inout ResourceLogs
  ) throws(Malformed) {
    var reader = ProtobufReader(text, in: range)
    while let field = try reader.next() {
      if case (2, .bytes(let range)) = field { logs.records.append(try record(text, in: range)) }
    }
  }

  private static func record(_ text: Span<UInt8>, in range: Range<Int>) throws(Malformed) -> LogRecord {
    var record = LogRecord()
    var reader = ProtobufReader(text, in: range)
    while let field = try reader.next() {
      switch field {
      case (1, .number(let time)): record.time = time
      case (5, .bytes(let range)): record.body = try value(text, in: range, depth: 0)
      case (6, .bytes(let range)): record.attributes.append(try attribute(text, in: range, depth: 0))
      case (11, .number(let time)): record.observedTime = time
      case (12, .bytes(let range)): record.eventName = try string(text, in: range)
      default: break
      }
    }
    return record
  }

  /// Returns the attributes in the repeated field of a message.
  private static func attributes(
    _ text: Span<UInt8>, in range: Range<Int>, field: UInt64, depth: Int
  ) throws(Malformed) -> [Attribute] {
    var attributes: [Attribute] = []
    var reader = ProtobufReader(text, in: range)
    while let next = try reader.next() {
      if next.field == field, case .bytes(let range) = next.value {
        attributes.append(try attribute(text, in: range, depth: depth))
      }
    }
    return attributes
  }

  private static func attribute(_ text: Span<UInt8>, in range: Range<Int>, depth: Int) throws(Malformed) -> Attribute {
    var attribute = Attribute(key: "", value: .leftOut)
    var reader = ProtobufReader(text, in: range)
    while let field = try reader.next() {
      switch field {
      case (1, .bytes(let range)): attribute.key = try string(text, in: range)
      case (2, .bytes(let range)): attribute.value = try value(text, in: range, depth: depth)
      default: break
      }
    }
    return attribute
  }

  private static func value(_ text: Span<UInt8>, in range: Range<Int>, depth: Int) throws(Malformed) -> AttributeValue {
    guard depth < depthMax else { return .leftOut }
    var value = AttributeValue.leftOut
    var reader = ProtobufReader(text, in: range)
    while let field = try reader.next() {
      switch field {
      case (1, .bytes(let range)): value = .string(try string(text, in: range))
      case (2, .number(let number)): value = .bool(number != 0)
      case (3, .number(let number)): value = .integer(Int64(bitPattern: number))
      case (4, .number(let number)): value = .double(Double(bitPattern: number))
      case (6, .bytes(let range)): value = .members(try attributes(text, in: range, field: 1, depth: depth + 1))
      default: value = .leftOut
      }
    }
    return value
  }

  private static func string(_ text: Span<UInt8>, in range: Range<Int>) throws(Malformed) -> String {
    guard let string = String(validUTF8: [UInt8](copying: text.extracting(range))) else { throw Malformed() }
    return string
  }
}
