import FunnelStore
import FunnelModel

/// Takes dead letters out of members of `rejected/` that a retention lets go, by when they were refused and the app they name.
struct LetterSieve: Sendable {
  private let reaches: [Retention.Reach]

  /// A sieve that keeps all dead letters but those that any of these names.
  init(_ reaches: [Retention.Reach]) {
    self.reaches = reaches
  }

  /// What stays of an inflated member, byte by byte as it was, and how many dead letters do not.
  ///
  /// - Throws: `inputOutput` where a line is no dead letter.
  func sift(_ raw: [UInt8], _ member: MemberReference) throws(FunnelError) -> (rest: RecordBatch, goneCount: Int) {
    var lines: [RecordBatch.Line] = []
    var goneCount = 0
    var start = 0
    try DeadLetterBox.forEach(in: raw, of: member.part) { letter, time in
      let end = raw[start...].firstIndex(of: UInt8(ascii: "\n")) ?? raw.count
      if goes(letter, refusedAt: time) {
        goneCount += 1
      } else {
        lines.append(
          .init(milliseconds: time.milliseconds, start: start, byteCount: UInt32(end + 1 - start), chunk: 0))
      }
      start = end + 1
    }
    return (RecordBatch(chunks: [raw], lines: lines[...]), goneCount)
  }

  private func goes(_ letter: DeadLetter, refusedAt time: Timestamp) -> Bool {
    let reaches = reaches.filter { time < $0.start }
    if reaches.contains(where: \.apps.isEmpty) { return true }
    guard !reaches.isEmpty, let app = letter.app else { return false }
    return reaches.contains { $0.apps.contains(app) }
  }
}

extension DeadLetter {
  /// The app that the line names or, where it names none, that the ingest gave to such lines; nil where neither is there.
  ///
  /// A line that is no JSON may name its app all the same: then it is what stands behind the first key `app`.
  var app: String? {
    if let document = try? JSONDocument(parsing: raw) { return document.root["app"]?.string ?? defaultApp }
    return appInBrokenLine ?? defaultApp
  }

  private var appInBrokenLine: String? {
    let key = Array("\"app\"".utf8)
    return raw.withUnsafeBytes { line in
      guard let found = key.withUnsafeBytes({ ByteSearch.offset(of: $0, in: line) }) else { return nil }
      let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
      var rest = line[(found + key.count)...].drop(while: isBlank)
      guard rest.popFirst() == UInt8(ascii: ":") else { return nil }
      rest = rest.drop(while: isBlank)
      guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
      let name = UnsafeRawBufferPointer(rebasing: rest.prefix { $0 != UInt8(ascii: "\"") })
      return name.isName ? name.text : nil
    }
  }
}
