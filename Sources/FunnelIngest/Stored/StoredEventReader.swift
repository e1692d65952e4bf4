import FunnelModel
import FunnelStore

/// Reads the events of inflated members of the log one by one, for readers that need the fields of each event and its line.
///
/// ``StoredEvents`` reads whole members at once, which is several times as fast. A reader must not be shared between threads.
final class StoredEventReader {
  private var decoder = EventDecoder(options: StoredEvents.options)
  private let event = EventStorage()

  /// Calls a closure with each event of a member and its line. The event is valid until the closure returns.
  ///
  /// - Throws: `inputOutput` if a record can't be read.
  func forEach(
    in raw: [UInt8], of member: MemberReference, _ body: (EventFields, RecordLines.Line) -> Void
  ) throws(FunnelError) {
    let block = LineBlock(place: .init(file: "\(member.part)", line: 1, byteOffset: 0), content: .lines, bytes: raw)
    do throws(Rejection) {
      try block.withBytes { (bytes) throws(Rejection) in
        for line in RecordLines(of: raw) {
          try decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[line.text]), into: &event.fields.pointee)
          body(event.fields.pointee, line)
        }
      }
    } catch {
      throw FunnelError(.inputOutput, "a record of the log can't be read, \(member.part), \(error.message.printable)")
    }
  }
}
