import FunnelModel

/// The parsed fields of a line by their names, before validation.
///
/// The *envelope* is the set of fields that every event may have (``KnownField``). One value is reused for all
/// lines of a decoder, so a line needs no allocation.
struct Envelope {
  private(set) var fields = ParsedFields.none
  /// The index of each known field, by the raw value of its ``KnownField``, or `nil` if the line does not have the field.
  private var indices = [Int?](repeating: nil, count: KnownField.allCases.count)
  /// The indices of the fields that are not part of the envelope.
  private(set) var unknown: [Int] = []
  private let defaultAppCopy: PaddedCopy?
  /// The receipt of the request that contains the lines, or `nil` if no server received them. The fields that it replaces are
  /// left out.
  var receipt: BatchReceipt?

  /// Creates an envelope.
  ///
  /// - Parameter defaultApp: The app of events that name none, or `nil` if every event must name one.
  init(defaultApp: String?) {
    defaultAppCopy = defaultApp.map { PaddedCopy($0.utf8) }
  }

  /// The app of events that name none, or `nil` if every event must name one. The bytes are valid for the
  /// lifetime of the envelope.
  var defaultApp: BorrowedText? { receipt?.app.view ?? defaultAppCopy?.view }

  /// Replaces the fields by those of the next line.
  mutating func sort(_ fields: ParsedFields) {
    self.fields = fields
    for field in indices.indices { indices[field] = nil }
    unknown.removeAll(keepingCapacity: true)
    var index = 0
    while index < fields.count {
      if let known = KnownField(fields[index].key.span) {
        if receipt == nil || !known.isReplacedByReceipt { indices[known.rawValue] = index }
      } else {
        unknown.append(index)
      }
      index = fields.members(of: index).upperBound
    }
  }

  /// Returns a field, or `nil` if the line does not have it.
  @inline(__always)
  subscript(known: KnownField) -> ParsedField? {
    indices[known.rawValue].map { fields[$0] }
  }

  /// Returns the indices in ``fields`` of an object's members. The range is empty if the line does not have the field.
  @inline(__always)
  func members(of known: KnownField) -> Range<Int> {
    indices[known.rawValue].map { fields.members(of: $0) } ?? 0..<0
  }

  /// Throws if the envelope has a version other than 1.
  func refuseUnknownVersion() throws(Rejection) {
    guard let version = self[.version] else { return }
    guard case .integer(let number) = version.scalar else {
      throw Rejection(.invalidField, "v is \(version.kindName); it must be the number 1, or be left out")
    }
    guard number == 1 else {
      throw Rejection(.unsupportedVersion, "v is \(number); this version of funnel reads envelope version 1")
    }
  }
}

/// A field of the envelope.
enum KnownField: Int, CaseIterable {
  case name, timestamp, subject, user, app, flow, flowVersion, attempt, sequence, step, id
  case props, context, sentAt, receivedAt, deviceTimestamp, version

  /// The name in JSON.
  var text: StaticString {
    switch self {
    case .name: "name"
    case .timestamp: "ts"
    case .subject: "subject"
    case .user: "user"
    case .app: "app"
    case .flow: "flow"
    case .flowVersion: "flow_version"
    case .attempt: "attempt"
    case .sequence: "seq"
    case .step: "step"
    case .id: "id"
    case .props: "props"
    case .context: "ctx"
    case .sentAt: "sent_at"
    case .receivedAt: "received_at"
    case .deviceTimestamp: "device_ts"
    case .version: "v"
    }
  }

  /// Whether a ``BatchReceipt`` has the field's value, whatever the line says.
  var isReplacedByReceipt: Bool { self == .app || self == .receivedAt || self == .deviceTimestamp }

  /// The set that contains only this field.
  @inline(__always)
  var bit: UInt32 { 1 << UInt32(truncatingIfNeeded: rawValue) }

  /// Creates the field with a given key, or returns `nil` if there is none.
  init?(_ key: Span<UInt8>) {
    guard key.count < Self.fieldsByLength.count else { return nil }
    for field in Self.fieldsByLength[key.count] where key.isEqual(to: field.text) {
      self = field
      return
    }
    return nil
  }

  /// The fields by the length of their names.
  private static let fieldsByLength: [[KnownField]] = {
    let lengths = allCases.map(\.text.utf8CodeUnitCount)
    return (0...(lengths.max() ?? 0)).map { length in allCases.filter { $0.text.utf8CodeUnitCount == length } }
  }()
}
