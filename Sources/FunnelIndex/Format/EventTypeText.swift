internal import FunnelDecoding

/// The type of an event: app, name, flow, flow version and step, as logged.
///
/// The encoding is a header of 12 bytes, then the texts. The header has the lengths of app, name, flow and step
/// in one byte each (flow and step: plus one, 0 if absent), and the flow version in eight bytes (0 if absent).
struct EventTypeText {
  var app: BorrowedBytes
  var name: BorrowedBytes
  var flow: BorrowedBytes?
  var flowVersion: Int64?
  var step: BorrowedBytes?

  private static let versionOffset = 4
  private static let headerBytes = 12

  /// Appends the encoded type of an event.
  @inline(__always)
  static func append(_ event: borrowing EventFields, to bytes: inout UniqueBytes) {
    bytes.append(UInt8(truncatingIfNeeded: event.app.count))
    bytes.append(UInt8(truncatingIfNeeded: event.name.count))
    bytes.append(event.flow.map { UInt8(truncatingIfNeeded: $0.count &+ 1) } ?? 0)
    bytes.append(event.step.map { UInt8(truncatingIfNeeded: $0.count &+ 1) } ?? 0)
    bytes.append(number: event.flowVersion ?? 0)
    bytes.append(BorrowedBytes(event.app))
    bytes.append(BorrowedBytes(event.name))
    if let flow = event.flow { bytes.append(BorrowedBytes(flow)) }
    if let step = event.step { bytes.append(BorrowedBytes(step)) }
  }

  /// Decodes a type, or returns `nil` if the bytes are invalid. The texts are parts of `bytes`.
  init?(_ bytes: BorrowedBytes) {
    guard bytes.count >= Self.headerBytes else { return nil }
    let counts = (0..<Self.versionOffset).map { Int(bytes[$0]) }
    let flowCount = max(counts[2] - 1, 0)
    let stepCount = max(counts[3] - 1, 0)
    guard bytes.count == Self.headerBytes + counts[0] + counts[1] + flowCount + stepCount else { return nil }
    let version = bytes.load(at: Self.versionOffset, as: Int64.self)
    flowVersion = version == 0 ? nil : version
    var offset = Self.headerBytes
    func next(_ count: Int) -> BorrowedBytes {
      defer { offset += count }
      return bytes[offset..<offset + count]
    }
    app = next(counts[0])
    name = next(counts[1])
    flow = counts[2] == 0 ? nil : next(flowCount)
    step = counts[3] == 0 ? nil : next(stepCount)
    assert(offset == bytes.count, "the texts take all bytes")
  }

  /// App and name as one key. Together with the subject and the ID, they identify an event (specification section 2).
  var identityKey: [UInt8] { app.array + [0] + name.array }

  /// Returns whether events of this type precede those of another type if time, seq and ID are equal.
  func precedes(_ other: EventTypeText) -> Bool {
    name.order(before: other.name) ?? app.order(before: other.app) ?? false
  }
}
