import FunnelDecoding
import FunnelImport
import FunnelModel
import FunnelSystem

/// The distinct links of a block or of an input, each as a line of a link file.
///
/// A link says that an event of a subject names a user (specification section 13). A line is a JSON object:
///
///     {"app":"notes","subject":"device-7f3a","user":"account-42"}
struct LinkLines: CountingConsumer {
  /// The hashes of app, subject and user of the lines, in the order of the lines.
  private var hashes: [Hash128] = []
  private var known: Set<Hash128> = []
  /// The lines, each with its line feed.
  private var bytes: [UInt8] = []
  /// The offset in ``bytes`` after each line.
  private var ends: [Int] = []
  /// The numbers of lines, events and rejections.
  var counts = InputCounts()
  /// A sentence for each damaged file.
  private(set) var damage: [String] = []

  /// Starts a block.
  mutating func begin(_ block: LineBlock) { counts.bytes += block.byteCount }

  mutating func take(
    _ event: EventReference, line: Span<UInt8>, _ resolution: FlowMatcher.Resolution, facts: inout EventTypes.Facts, block: Int,
    with encoder: inout CanonicalEncoder
  ) {
    counts.events += 1
    guard let user = event.fields.linkingUser else { return }
    var hasher = SipHasher()
    for text in [event.fields.app, event.fields.subject, user] { hasher.combine(text.span) }
    let hash = hasher.finish()
    guard known.insert(hash).inserted else { return }
    bytes.append(text: "{\"app\":")
    bytes.appendJSONString(utf8: event.fields.app.raw)
    bytes.append(text: ",\"subject\":")
    bytes.appendJSONString(utf8: event.fields.subject.raw)
    bytes.append(text: ",\"user\":")
    bytes.appendJSONString(utf8: user.raw)
    bytes.append(text: "}\n")
    hashes.append(hash)
    ends.append(bytes.count)
  }

  mutating func refuse(_ reject: Rejection, _ text: borrowing RejectedText, at place: LineBlock.Place) {
    counts.rejected[reject.reason, default: 0] += 1
    if reject.reason.isDamage { damage.append("\(place.file), line \(place.line): \(reject.message)") }
  }

  /// Adds the links of another block, and its counts.
  mutating func add(_ other: LinkLines) {
    counts.add(other.counts)
    damage += other.damage
    for (index, hash) in other.hashes.enumerated() where known.insert(hash).inserted {
      bytes += other.bytes[other.range(ofLine: index)]
      hashes.append(hash)
      ends.append(bytes.count)
    }
  }

  /// The lines, sorted by their bytes.
  var sorted: [UInt8] {
    bytes.withUnsafeBytes { raw in
      let order = ends.indices.sorted {
        UnsafeRawBufferPointer(rebasing: raw[range(ofLine: $0)]).precedes(.init(rebasing: raw[range(ofLine: $1)]))
      }
      var result: [UInt8] = []
      result.reserveCapacity(raw.count)
      for index in order { result += raw[range(ofLine: index)] }
      return result
    }
  }

  private func range(ofLine index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }
}
