internal import FunnelSystem

/// The positions in the input of a block's records, for blocks whose lines are not lines of the input.
///
/// The input of such a block is CSV or JSON values that span lines. Each line of the block is one record.
package struct RecordOrigins: Sendable {
  /// The position of a record in the input.
  package struct Record: Sendable {
    /// The number of its first line, from 1.
    package var line: Int
    /// The offset of its first byte in the decompressed text.
    package var byteOffset: Int
    /// The `seq` of its events: the number of a CSV record, from 1, or the index of an array element. `nil` for
    /// JSON values that are not in an array.
    package var sequence: Int?
    /// The end of its text in ``RecordOrigins/texts``. It begins at the end of the previous one. Unused for JSON.
    var textEnd = 0
    /// The reason to reject the record, or `nil` if the block's line is the record as JSON.
    package var rejection: Rejection?
  }

  package private(set) var records: [Record] = []
  /// The CSV records as they are in the input, one after another. Empty for JSON.
  private var texts: [UInt8] = []
  /// The header of CSV as it is in the input, without its line break, or `nil` for JSON.
  package let header: [UInt8]?

  /// Creates origins without records.
  package init(header: [UInt8]? = nil) {
    self.header = header
  }

  /// Sets the rejection of all records that have none.
  package mutating func refuseAll(_ reject: Rejection) {
    for index in records.indices where records[index].rejection == nil { records[index].rejection = reject }
  }

  /// Adds the next JSON record.
  package mutating func append(line: Int, byteOffset: Int, sequence: Int?) {
    records.append(Record(line: line, byteOffset: byteOffset, sequence: sequence))
  }

  /// Adds the next CSV record, with its text.
  package mutating func append(line: Int, byteOffset: Int, sequence: Int?, copying text: Span<UInt8>, rejection: Rejection?) {
    texts.append(copying: text)
    records.append(Record(line: line, byteOffset: byteOffset, sequence: sequence, textEnd: texts.count, rejection: rejection))
  }

  /// Returns the text of a CSV record, or `nil` for a JSON record, whose text is the block's line.
  package func text(of index: Int) -> ArraySlice<UInt8>? {
    guard header != nil else { return nil }
    let start = index == 0 ? 0 : records[index - 1].textEnd
    return texts[start..<records[index].textEnd]
  }
}
