/// Reads records: by their layout if it is known, else with a parser and a walk, after which it is. Not to be shared between threads.
final class RecordReader {
  let walker: RecordWalker
  private let parser = ImportedRecordParser()
  private let indexer = TokenIndexer(recordBytesMax: ShapeTrie.recordBytesMax)
  private let tree = ShapeTrie()
  private let expansion: TextExpansion
  /// The layout of a record whose layout is not kept.
  private let passing: RecordLayout
  /// The records of known and of unknown layouts.
  private var hits = 0
  private var misses = 0

  /// The number of records of unknown layouts after which, if there were few others, layouts are no longer looked for.
  private static let missesMax = 10_000
  private static let missesForHit = 8

  init(tree: FieldTree) {
    walker = RecordWalker(tree: tree)
    passing = walker.makeLayout(isReused: true)
    expansion = TextExpansion(tree: walker.tree)
  }

  /// Returns a record, valid until the next one is read, or nil if it is not one JSON object. The parser's padding must follow the record.
  func read(_ record: UnsafeRawBufferPointer) -> ImportedRecord? {
    guard let read = readAsWritten(record) else { return nil }
    return read.layout.texts.isEmpty ? read : readExpanded(record, read)
  }

  /// Returns a record with the objects that its texts hold in place of the texts. `read` is what it is without.
  private func readExpanded(_ record: UnsafeRawBufferPointer, _ read: ImportedRecord) -> ImportedRecord? {
    var (text, last) = (record, read)
    for _ in 0..<TextExpansion.levelsMax {
      let mayExpand = last.layout.texts.contains { last.fields[Int($0)].string?.beginsContainer ?? false }
      guard mayExpand, let fields = parser.parse(text), let expanded = expansion.expand(fields) else { break }
      guard let next = readAsWritten(expanded) else { return readAsWritten(record) }
      (text, last) = (expanded, next)
    }
    return last
  }

  private func readAsWritten(_ record: UnsafeRawBufferPointer) -> ImportedRecord? {
    guard misses < Self.missesMax + Self.missesForHit * hits, let tokens = indexer.tokens(of: record) else {
      return parse(record, tokens: nil)
    }
    let text = record.baseAddress!.assumingMemoryBound(to: UInt8.self)
    if let known = tree.match(text, tokens, escapes: indexer.escapes(of: record)) {
      hits &+= 1
      return known
    }
    misses &+= 1
    return parse(record, tokens: tokens)
  }

  private func parse(_ record: UnsafeRawBufferPointer, tokens: UnsafeBufferPointer<UInt32>?) -> ImportedRecord? {
    guard let fields = parser.parse(record) else { return nil }
    guard let tokens, let layout = learn(fields, record, tokens) else {
      walker.walk(fields, into: passing)
      return ImportedRecord(fields: fields, layout: passing)
    }
    return ImportedRecord(fields: fields, layout: layout)
  }

  /// Adds the layout of a record to those that are known, and returns it; nil if it is not kept.
  private func learn(
    _ fields: ImportedFields, _ record: UnsafeRawBufferPointer, _ tokens: UnsafeBufferPointer<UInt32>
  ) -> RecordLayout? {
    let text = record.baseAddress!.assumingMemoryBound(to: UInt8.self)
    guard let end = tree.learn(fields, text, tokens), tree.steps[Int(end)].layout < 0 else { return nil }
    let layout = walker.makeLayout(isReused: false)
    walker.walk(fields, into: layout)
    return tree.addLayout(layout, at: end) ? layout : nil
  }
}
