package import FunnelIngest
internal import FunnelModel

/// A recorder that converts decoded events to rows of the index.
///
///     var recorder = IndexRecorder(number: 0)
///     for event in events { recorder.record(event, id: id, facts) }
///     let block = recorder.takeBlock()
///
/// Recording allocates nothing if the type, `ctx` and `props` of the event occurred before. Not thread-safe: a
/// decoding thread borrows a recorder for each block (``IndexRecorderPool``).
package struct IndexRecorder: ~Copyable {
  /// The number that identifies the recorder among those of the same batch.
  package let number: Int
  private var types = ByteTable()
  private var hasAllTypes = true
  private var context = DimensionRecorder(measuresMax: 0)
  private var props = DimensionRecorder(measuresMax: IndexLimits.measuresMax)
  private var rows = GrowingStorage<IndexRow>(capacity: 4096)
  private var ids = GrowingBytes(capacity: 65_536)
  /// The encoded type of the event being recorded.
  private var scratch = GrowingBytes(capacity: 512)
  private var lastAttempt = GrowingBytes(capacity: 128)
  private var lastAttemptHash: UInt64
  /// A direct-mapped cache of `ctx` codes by the address of the decoded `ctx`.
  private var knownContexts = GrowingStorage<KnownContext>(capacity: knownContextCount)

  private static let knownContextBits = 12
  private static let knownContextCount = 1 << knownContextBits
  private static let fibonacciMultiplier: UInt64 = 0x9E37_79B9_7F4A_7C15  // 2⁶⁴ divided by the golden ratio

  /// Creates a recorder; those of one batch are numbered from 0.
  package init(number: Int) {
    self.number = number
    for _ in 0..<Self.knownContextCount { knownContexts.append(KnownContext(identity: 0, number: 0)) }
    lastAttemptHash = Self.attemptHash(UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// Records an event.
  ///
  /// - Parameters:
  ///   - id: The ID of the event.
  ///   - facts: The cached facts of the event's type. The type's code in this recorder is stored there.
  package mutating func record(
    _ event: UnsafePointer<EventFields>, id: UnsafeRawBufferPointer, _ facts: UnsafeMutablePointer<EventTypes.Facts>
  ) {
    let subject = Hash128(ofPadded: event.pointee.subject)
    if facts.pointee.recorder != number {
      facts.pointee.recorder = number
      facts.pointee.recordedNumber = type(of: event.pointee)
    }
    let propsNumber = props.number(of: event.pointee.props.elements)
    let measurementCount = props.appendNumbers(to: &ids)
    let idStart = ids.count
    let form = HexadecimalPacking.pack(id, to: &ids)
    let idEnd = ids.count
    let subjectForm = HexadecimalPacking.pack(event.pointee.subject, to: &ids)
    rows.append(
      IndexRow(
        subjectHigh: subject.high, subjectLow: subject.low, milliseconds: event.pointee.timestamp.milliseconds,
        sequence: event.pointee.sequence ?? 0, attempt: hash(ofAttempt: event.pointee.attempt),
        type: facts.pointee.recordedNumber, context: contextNumber(of: event),
        props: propsNumber,
        idStart: UInt32(truncatingIfNeeded: idStart), idByteCount: UInt8(truncatingIfNeeded: idEnd &- idStart),
        idForm: form.rawValue, subjectByteCount: UInt8(truncatingIfNeeded: ids.count &- idEnd),
        subjectForm: subjectForm.rawValue, measurementCount: measurementCount))
  }

  /// Returns the code of the event's `ctx`.
  @inline(__always)
  private mutating func contextNumber(of event: UnsafePointer<EventFields>) -> UInt32 {
    let identity = event.pointee.context.identity
    // The decoder identifies a repeated `ctx` by its address, or by 0 if it does not know it.
    guard identity != 0 else { return context.number(of: event.pointee.context.elements) }
    let hash = (UInt64(identity) &* Self.fibonacciMultiplier) >> (UInt64.bitWidth - Self.knownContextBits)
    let slot = knownContexts.base + Int(truncatingIfNeeded: hash)
    if slot.pointee.identity != identity {
      slot.pointee = KnownContext(identity: identity, number: context.number(of: event.pointee.context.elements))
    }
    return slot.pointee.number
  }

  /// Returns the rows recorded since the last call, as a block.
  package mutating func takeBlock() -> RecordedBlock {
    var takenRows = GrowingStorage<IndexRow>(capacity: rows.count + 64)
    var takenIDs = GrowingBytes(capacity: ids.count + 1024)
    swap(&rows, &takenRows)
    swap(&ids, &takenIDs)
    return RecordedBlock(recorder: number, rows: takenRows, ids: takenIDs)
  }

  /// The dictionaries that decode the codes of all rows so far.
  package var dictionaries: IndexDictionaries {
    var dictionaries = IndexDictionaries()
    update(&dictionaries)
    return dictionaries
  }

  /// Adds the new entries to an earlier value of ``dictionaries``. The cost depends on the number of new entries only.
  package func update(_ dictionaries: inout IndexDictionaries) {
    dictionaries.hasAllTypes = hasAllTypes
    for type in dictionaries.types.count..<types.count { dictionaries.types.append(Array(types[type])) }
    context.update(&dictionaries.context)
    props.update(&dictionaries.props)
  }

  /// Returns the hash that identifies an attempt, or 0 for no attempt.
  private mutating func hash(ofAttempt attempt: UnsafeRawBufferPointer?) -> UInt64 {
    guard let attempt else { return 0 }
    // The last one is cached, because consecutive events often have the same attempt.
    if attempt.count == lastAttempt.count, ByteHash.areEqual(UnsafeRawPointer(lastAttempt.base), attempt) {
      return lastAttemptHash
    }
    lastAttempt.removeAll()
    lastAttempt.append(raw: attempt)
    lastAttemptHash = Self.attemptHash(attempt)
    return lastAttemptHash
  }

  /// Returns the hash of an attempt. It is never 0, which means no attempt.
  private static func attemptHash(_ attempt: UnsafeRawBufferPointer) -> UInt64 { max(Hash128(of: attempt).low, 1) }

  /// Returns the code of an event's type, which is added if it is new. Returns 0 if there are too many types.
  private mutating func type(of event: borrowing EventFields) -> UInt32 {
    scratch.removeAll()
    EventTypeText.append(event, to: &scratch)
    let hash = ByteHash.hash(scratch.bytes)
    if let number = types.find(scratch.bytes, hash: hash) { return number }
    guard types.count < IndexLimits.typesMax else {
      hasAllTypes = false
      return 0
    }
    return types.insert(scratch.bytes, hash: hash).number
  }
}

/// The code of a `ctx`, with the address by which the decoder identifies it.
struct KnownContext: BitwiseCopyable {
  var identity: UInt
  var number: UInt32
}
