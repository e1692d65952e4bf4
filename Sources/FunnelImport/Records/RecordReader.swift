/// Reads imported JSON records and determines their layouts.
///
/// A record whose shape is in the shape trie is matched token by token. Any other record is parsed and walked, and its
/// shape is added to the trie. Not thread-safe: each worker owns one.
final class RecordReader {
  /// The walker, which has the paths of left-out values.
  let walker: RecordWalker
  private let parser = ImportedRecordParser()
  private let indexer = TokenIndexer(recordBytesMax: ShapeTrie.recordBytesMax)
  private let trie = ShapeTrie()
  private let expansion: TextExpansion
  /// The layout of the current record if its shape is not in the trie.
  private let scratchLayout: RecordLayout
  /// The number of records that matched a known shape.
  private var hits = 0
  /// The number of records that matched none.
  private var misses = 0

  // If few records match, the search in the trie only adds to the cost of parsing.
  /// The number of misses after which matching ends if there are no hits.
  private static let missesMax = 10_000
  /// The number of additional misses for each hit.
  private static let missesForHit = 8

  /// Creates a reader for the paths of a tree.
  init(tree: FieldTree) {
    walker = RecordWalker(tree: tree)
    scratchLayout = walker.makeLayout(isReused: true)
    expansion = TextExpansion(tree: walker.tree)
  }

  /// Returns a record, or `nil` if the text is not exactly one JSON object.
  ///
  /// The record is valid until the next call. The padding of ``ImportedRecordParser`` must follow the text.
  func read(_ record: UnsafeRawBufferPointer) -> ImportedRecord? {
    guard let read = readAsWritten(record) else { return nil }
    return read.layout.texts.isEmpty ? read : readExpanded(record, read)
  }

  /// Returns a record in which objects replace the strings that contain them as JSON text.
  ///
  /// - Parameter read: The record before the replacement.
  private func readExpanded(_ record: UnsafeRawBufferPointer, _ read: ImportedRecord) -> ImportedRecord? {
    var text = record
    var last = read
    for _ in 0..<TextExpansion.levelsMax {
      let mayExpand = last.layout.texts.contains { last.fields[Int($0)].string?.beginsContainer ?? false }
      guard mayExpand, let fields = parser.parse(text), let expanded = expansion.expand(fields) else { break }
      guard let next = readAsWritten(expanded) else { return readAsWritten(record) }
      text = expanded
      last = next
    }
    return last
  }

  /// Returns a record with its strings as they are.
  private func readAsWritten(_ record: UnsafeRawBufferPointer) -> ImportedRecord? {
    guard misses < Self.missesMax + Self.missesForHit * hits, let tokens = indexer.tokens(of: record) else {
      return parse(record, tokens: nil)
    }
    let text = record.baseAddress!.assumingMemoryBound(to: UInt8.self)
    if let known = trie.match(text, tokens, escapes: indexer.escapes(of: record)) {
      hits &+= 1
      return known
    }
    misses &+= 1
    return parse(record, tokens: tokens)
  }

  private func parse(_ record: UnsafeRawBufferPointer, tokens: UnsafeBufferPointer<UInt32>?) -> ImportedRecord? {
    guard let fields = parser.parse(record) else { return nil }
    guard let tokens, let layout = learn(fields, record, tokens) else {
      walker.walk(fields, into: scratchLayout)
      return ImportedRecord(fields: fields, layout: scratchLayout)
    }
    return ImportedRecord(fields: fields, layout: layout)
  }

  /// Adds the shape of a record to the trie and returns its layout, or `nil` if the trie has no room for it.
  private func learn(
    _ fields: ImportedFields, _ record: UnsafeRawBufferPointer, _ tokens: UnsafeBufferPointer<UInt32>
  ) -> RecordLayout? {
    let text = record.baseAddress!.assumingMemoryBound(to: UInt8.self)
    guard let end = trie.learn(fields, text, tokens), trie.steps[Int(end)].layout == ShapeTrie.absent else { return nil }
    let layout = walker.makeLayout(isReused: false)
    walker.walk(fields, into: layout)
    return trie.addLayout(layout, at: end) ? layout : nil
  }
}
