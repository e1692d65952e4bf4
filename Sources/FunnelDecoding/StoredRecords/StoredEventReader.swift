import FunnelModel
import FunnelStore

/// Reads the events of log members one by one, with the line of each event.
///
/// ``StoredEvents`` is several times as fast if whole members are sufficient. Not thread-safe: each worker owns one.
final class StoredEventReader {
  private var decoder = EventDecoder(options: StoredEvents.options)
  private let event = EventStorage()

  /// Calls a closure with each event of a member and its line.
  ///
  /// - Parameters:
  ///   - raw: The decompressed member.
  ///   - member: The position of the member, for the error message.
  ///   - body: Receives an event, which is valid until the closure returns, and the range of its line in `raw`.
  /// - Throws: `inputOutput` if a record can't be read.
  func forEach(
    in raw: [UInt8], of member: MemberReference, _ body: (EventFields, RecordLines.Line) -> Void
  ) throws(FunnelError) {
    let block = LineBlock(place: .init(file: "\(member.logFile)", line: 1, byteOffset: 0), content: .lines, bytes: raw)
    do throws(Rejection) {
      try block.withBytes { (bytes) throws(Rejection) in
        for line in RecordLines(of: raw) {
          try decoder.decode(BorrowedText(bytes).part(line.text), into: &event.fields.pointee)
          body(event.fields.pointee, line)
        }
      }
    } catch {
      throw FunnelError(.inputOutput, "a record of the log can't be read, \(member.logFile), \(error.message.printable)")
    }
  }
}
