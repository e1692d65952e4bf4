import FunnelDecoding
import FunnelIndex

/// A worker's buffer of rows for one partition, which are added to the partition in one batch to take its lock rarely.
struct StagedRows: ~Copyable {
  /// The largest number of rows.
  static let capacity = 64
  /// The number of bytes of text above which the rows are flushed, even if the buffer has room for more rows.
  static let textBytesTarget = 64 << 10

  private var rows = UniqueArray<EventRow>(capacity: capacity)
  /// The details of each row, or none if the columns have no details.
  private var details = UniqueArray<EventRowDetail>(capacity: capacity)
  /// The texts that the details refer to.
  private var texts = UniqueBytes(capacity: 0)

  init() {}

  /// The number of rows.
  @inline(__always)
  var count: Int { rows.count }

  /// Whether the rows are to be flushed.
  @inline(__always)
  var isFull: Bool { count == Self.capacity || texts.count > Self.textBytesTarget }

  /// Returns a row.
  @inline(__always)
  subscript(index: Int) -> EventRow { rows[index] }

  /// Returns the details of a row. Requires `RowColumns.details`.
  func detail(of index: Int) -> EventRowDetail {
    precondition(index < details.count, "a row was appended with its details")
    return details[index]
  }

  /// Returns the texts of a row, valid until the buffer changes.
  func texts(of detail: EventRowDetail) -> BorrowedBytes {
    texts.bytes[detail.text..<detail.text + detail.textByteCount]
  }

  /// Appends a row.
  @inline(__always)
  mutating func append(_ row: EventRow) {
    assert(count < Self.capacity, "a full buffer is flushed")
    rows.append(row)
  }

  /// Appends the details and the texts of the last row.
  mutating func appendDetail(_ detail: EventRowDetail, texts source: Span<UInt8>) {
    precondition(details.count == count - 1, "each row has details")
    var detail = detail
    detail.text = texts.count
    texts.append(copying: source)
    details.append(detail)
  }

  /// Removes all rows.
  mutating func removeAll() {
    rows.removeAll()
    details.removeAll()
    // Storage that grew for a long record is freed. Otherwise it would remain in every partition.
    if texts.capacity > 2 * Self.textBytesTarget { texts = UniqueBytes(capacity: 0) }
    texts.removeAll()
  }
}
