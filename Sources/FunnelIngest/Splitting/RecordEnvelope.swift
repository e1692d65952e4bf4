import FunnelDecoding
import FunnelModel
import FunnelSystem

/// An envelope whose records are being read: an object around an array of records.
struct RecordEnvelope {
  /// The text that replaces the brace of each record, to add the scalars of the envelope. It is empty if there are none.
  private let prefix: [UInt8]
  private var state = State.inArray
  /// The number of open objects around the array.
  private let depth: Int

  private enum State {
    case inArray
    case afterArray(openBrackets: Int, StringState)
    case closed
  }

  private enum StringState {
    case outside, inside, afterBackslash
  }

  /// Creates an open envelope.
  ///
  /// - Parameter keepsMembers: Whether the records get the scalars of the envelope.
  init(_ head: RecordEnvelopeHead, keepsMembers: Bool) {
    depth = head.depth
    let hasPrefix = keepsMembers && !head.members.isEmpty
    prefix = hasPrefix ? Array("{\"\(ImportMapping.envelopeKey)\":{".utf8) + head.members + [Byte.closeBrace] : []
  }

  /// Whether the array has ended, and the object around it has not.
  var isAfterArray: Bool {
    if case .afterArray = state { true } else { false }
  }

  /// Whether the object has ended.
  var isClosed: Bool {
    if case .closed = state { true } else { false }
  }

  /// Ends the array of records.
  mutating func endArray() {
    precondition(!isClosed, "a closed envelope has no array")
    state = .afterArray(openBrackets: depth, .outside)
  }

  /// Skips a byte after the array.
  mutating func skip(_ byte: UInt8) {
    guard case .afterArray(var openBrackets, var string) = state else { preconditionFailure("the array has not ended") }
    switch string {
    case .afterBackslash: string = .inside
    case .inside: string = byte == Byte.backslash ? .afterBackslash : byte == Byte.quote ? .outside : .inside
    case .outside:
      switch byte {
      case Byte.quote: string = .inside
      case Byte.openBrace, Byte.openBracket: openBrackets += 1
      case Byte.closeBrace, Byte.closeBracket: openBrackets -= 1
      default: break
      }
    }
    state = openBrackets > 0 ? .afterArray(openBrackets: openBrackets, string) : .closed
  }

  /// Returns a record with the scalars of the envelope, or `nil` if the record stays as it is.
  func adding(to record: Span<UInt8>) -> [UInt8]? {
    guard !prefix.isEmpty, record.count > 1, record[0] == Byte.openBrace else { return nil }
    let isEmptyObject = record.count == 2
    return prefix + (isEmptyObject ? [] : [Byte.comma]) + [UInt8](copying: record.extracting(droppingFirst: 1))
  }
}
