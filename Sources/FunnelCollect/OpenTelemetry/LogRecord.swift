/// A value of an attribute (`AnyValue` of opentelemetry-proto).
indirect enum AttributeValue: Equatable {
  case string(String)
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  case members([Attribute])
  /// An array, bytes, or no value: never part of an event.
  case leftOut
}

/// A key and a value (`KeyValue` of opentelemetry-proto).
struct Attribute: Equatable {
  var key: String
  var value: AttributeValue
}

/// A record of a log (`LogRecord` of opentelemetry-proto).
struct LogRecord: Equatable {
  /// The time of the event in nanoseconds since 1970, or 0 if it is unknown.
  var time: UInt64 = 0
  /// The time at which the client saw the event in nanoseconds since 1970, or 0 if it is unknown.
  var observedTime: UInt64 = 0
  var eventName = ""
  var body = AttributeValue.leftOut
  var attributes: [Attribute] = []
}

/// The records of one resource, such as one app on one phone.
struct ResourceLogs: Equatable {
  var resource: [Attribute] = []
  var records: [LogRecord] = []
}
