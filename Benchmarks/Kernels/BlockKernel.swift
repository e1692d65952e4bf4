import FunnelDecoding
import FunnelModel
import FunnelSchemas
import FunnelSystem

/// The work on one block of lines: decompressing its gzip member, parsing it, and encoding it as canonical records.
public struct BlockKernel: ~Copyable {
  private let block: LineBlock
  private let member: [UInt8]
  private var decoder: BlockDecoder
  private var rows: EventRows

  /// Creates a block of about 1 MiB.
  public init() {
    let lines = SampleLog.lines(byteCount: 1 << 20)
    block = LineBlock(place: LineBlock.Place(file: "sample", line: 1, byteOffset: 0), content: .lines, bytes: lines)
    member = GzipMember.encode(
      lines.span, lines: 1, timestamps: SampleLog.now...SampleLog.now, with: Deflater(.zlib(level: 6)))
    let options = DecodingOptions(now: SampleLog.now, privacy: BuiltInSchemas.privacy)
    decoder = BlockDecoder(options: options, catalog: SampleLog.catalog)
    rows = EventRows(EventRows.Wants())
  }

  /// Inflates the member and checks it.
  ///
  /// - Returns: The number of bytes.
  public func inflate() -> Int {
    (try? GzipMember.decode(member.span))?.count ?? 0
  }

  /// Parses the lines into rows, as a report does.
  ///
  /// - Returns: The number of events.
  public mutating func parse() -> Int {
    rows.removeRows()
    decoder.decode(block, into: &rows)
    return rows.rows.count
  }

  /// Parses the lines into canonical records, as an ingest does.
  ///
  /// - Returns: The number of bytes of the records.
  public mutating func encode() -> Int {
    decoder.decode(block).records.count
  }
}
