import FunnelModel

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
  /// Rewrites records to the shape that the tree describes, or `nil` if they have it.
  private let normalizer: SnowplowNormalizer?
  /// The members that are not part of derived IDs, or `nil` if no IDs are derived.
  private let stamps: RecordStamps?
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

  /// Creates a reader of records of a format, for the paths of a tree.
  ///
  /// - Parameter stamps: The members that are not part of derived IDs, or `nil` if no IDs are derived.
  init(_ format: ImportFormat, tree: FieldTree, stamps: RecordStamps?) {
    normalizer = format == .snowplow ? SnowplowNormalizer() : nil
    self.stamps = stamps
    walker = RecordWalker(tree: tree)
    scratchLayout = walker.makeLayout(.scratch)
    expansion = TextExpansion(tree: tree)
  }

  /// Returns a record, or `nil` if the text is not exactly one JSON object (of Snowplow, also one enriched line).
  ///
  /// The record is valid until the next call. The padding of ``ImportedRecordParser`` must follow the text.
  @_lifetime(copy text)
  func read(_ text: Span<UInt8>) -> ImportedRecord? {
    guard let normalized = normalize(text) else { return nil }
    return readExpandable(normalized)
  }

  /// Returns a record in the shape that the tree describes, followed by padding and valid until the next call, or `nil` if it
  /// can't be read.
  @_lifetime(copy text)
  func normalize(_ text: Span<UInt8>) -> Span<UInt8>? {
    guard let normalizer else { return text }
    return normalizer.normalize(text)
  }

  /// Returns a normalized record, in which objects replace the strings that contain them.
  @_lifetime(copy text)
  private func readExpandable(_ text: Span<UInt8>) -> ImportedRecord? {
    guard let record = readUnexpanded(text) else { return nil }
    return record.layout.texts.isEmpty ? record : readExpanded(text, record)
  }

  /// Returns a record in which objects replace the strings that contain them as JSON text.
  ///
  /// - Parameter record: The record before the replacement.
  @_lifetime(copy text)
  private func readExpanded(_ text: Span<UInt8>, _ record: consuming ImportedRecord) -> ImportedRecord? {
    var expandedText = text
    for _ in 0..<TextExpansion.levelsMax {
      guard mayExpand(record), let fields = parser.parse(expandedText), let next = expansion.expand(fields) else { break }
      expandedText = _overrideLifetime(next, copying: text)
      guard let read = readUnexpanded(expandedText) else { return readUnexpanded(text) }
      record = read
    }
    return _overrideLifetime(record, copying: text)
  }

  /// Returns whether a string of a record may contain an object as JSON text.
  private func mayExpand(_ record: ImportedRecord) -> Bool {
    for field in record.layout.texts where record.fields[Int(field)].string?.beginsContainer ?? false { return true }
    return false
  }

  /// Returns a record with its strings as they are.
  @_lifetime(copy text)
  private func readUnexpanded(_ text: Span<UInt8>) -> ImportedRecord? {
    guard misses < Self.missesMax + Self.missesForHit * hits, let tokens = indexer.tokens(of: text) else {
      guard let fields = parser.parse(text) else { return nil }
      return walk(fields)
    }
    if let known = trie.match(text, tokens, unescaper: indexer.unescaper(for: text)) {
      hits &+= 1
      return known
    }
    misses &+= 1
    guard let fields = parser.parse(text) else { return nil }
    guard let layout = learn(fields, text, tokens) else { return walk(fields) }
    return ImportedRecord(fields, layout)
  }

  /// Returns a record with a layout that the next record overwrites.
  @_lifetime(copy fields)
  private func walk(_ fields: ImportedFields) -> ImportedRecord {
    walker.walk(fields, into: scratchLayout)
    return ImportedRecord(fields, scratchLayout)
  }

  /// Adds the shape of a record to the trie and returns its layout, or `nil` if the trie has no room for it.
  private func learn(
    _ fields: ImportedFields, _ text: Span<UInt8>, _ tokens: Span<UInt32>
  ) -> RecordLayout? {
    guard let end = trie.learn(fields, text, tokens), trie.layout(at: end) == nil else { return nil }
    let layout = walker.makeLayout(.shared)
    walker.walk(fields, into: layout)
    // Only now: the fields of a record that matches the shape have no count of descendants.
    if let stamps { layout.setHashOrder(RecordHashOrder(of: fields, without: stamps)) }
    return trie.addLayout(layout, at: end) ? layout : nil
  }
}
