/// The places of the records of a block whose lines are not lines of the input: of JSON values that span lines, or of CSV.
///
/// The n-th line of the block is the n-th record.
package struct RecordOrigins: Sendable {
  /// Where a record begins in the input, and why it can't be an event, if that is known already.
  package struct Record: Sendable {
    /// The number of its first line, from 1.
    package var line: Int
    /// The offset of its first byte, in the inflated text.
    package var byteOffset: Int
    /// The `seq` that its place in the source gives its events: the number of a record of CSV, from 1, or the index of an array's element.
    /// Nil if the source has no order.
    package var sequence: Int?
    /// The end of its text in ``RecordOrigins/texts``; it begins where the one before ends.
    var textEnd = 0
    /// The rejection, or nil if the block's line is the record as JSON.
    package var rejection: Rejection?
  }

  package private(set) var records: [Record] = []
  /// The records as the input writes them, where that differs from the block's lines.
  private var texts: [UInt8] = []
  /// The header of the CSV as the input writes it, without its line break; nil if the input is JSON.
  package let header: [UInt8]?

  /// The names of the columns; none if the input is JSON.
  var columns: [String] { header.map(CSVColumns.names(inHeader:)) ?? [] }

  package init(header: [UInt8]? = nil) {
    self.header = header
  }

  /// Rejects all records that are not rejected yet.
  mutating func refuseAll(_ reject: Rejection) {
    for index in records.indices where records[index].rejection == nil { records[index].rejection = reject }
  }

  /// Adds the next record of JSON.
  mutating func append(line: Int, byteOffset: Int, sequence: Int?) {
    records.append(Record(line: line, byteOffset: byteOffset, sequence: sequence))
  }

  /// Adds the next record of CSV, with its text.
  mutating func append(line: Int, byteOffset: Int, sequence: Int?, text: UnsafeRawBufferPointer, rejection: Rejection?) {
    texts.append(contentsOf: text)
    records.append(Record(line: line, byteOffset: byteOffset, sequence: sequence, textEnd: texts.count, rejection: rejection))
  }

  /// Calls a closure with the text of a record in the input, or with nil if it is the block's line.
  package func withText<Result>(of index: Int, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
    guard header != nil else { return body(nil) }
    let start = index == 0 ? 0 : records[index - 1].textEnd
    return texts.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<records[index].textEnd])) }
  }
}
