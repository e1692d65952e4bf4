internal import FunnelDecoding
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
  private var types = InternTable()
  private var hasAllTypes = true
  private var context = DimensionRecorder(measuresMax: 0)
  private var props = DimensionRecorder(measuresMax: IndexLimits.measuresMax)
  private var rows = UniqueArray<IndexRow>(capacity: 4096)
  private var ids = UniqueBytes(capacity: 65_536)
  /// The encoded type of the event being recorded.
  private var scratch = UniqueBytes(capacity: 512)
  private var lastAttempt = UniqueBytes(capacity: 128)
  private var lastAttemptHash: UInt64
  /// A direct-mapped cache of `ctx` codes by the address of the decoded `ctx`.
  private var knownContexts = UniqueArray(repeating: KnownContext(identity: 0, code: 0), count: knownContextCount)

  private static let knownContextBits = 12
  private static let knownContextCount = 1 << knownContextBits
  // The next block is about as large as the last one.
  private static let spareRows = 64
  private static let spareBytes = 1024
  private static let fibonacciMultiplier: UInt64 = 0x9E37_79B9_7F4A_7C15  // 2⁶⁴ divided by the golden ratio

  /// Creates a recorder; those of one batch are numbered from 0.
  package init(number: Int) {
    self.number = number
    lastAttemptHash = Self.attemptHash(.empty)
  }

  /// Records an event.
  ///
  /// - Parameters:
  ///   - id: The ID of the event.
  ///   - facts: The cached facts of the event's type. The type's code in this recorder is stored there.
  mutating func record(
    _ event: borrowing EventFields, id: BorrowedBytes, _ facts: inout EventTypes.Facts
  ) {
    let subject = Hash128(of: event.subject.span)
    if facts.recorder != number {
      facts.recorder = number
      facts.recordedNumber = type(of: event)
    }
    let propsCode = props.id(of: BorrowedColumn(event.props.elements))
    let measurementCount = props.appendNumbers(to: &ids)
    let idStart = ids.count
    let form = HexadecimalPacking.pack(id, to: &ids)
    let idEnd = ids.count
    let subjectForm = HexadecimalPacking.pack(BorrowedBytes(event.subject), to: &ids)
    let subjectEnd = ids.count
    let userForm = event.linkingUser.map { HexadecimalPacking.pack(BorrowedBytes($0), to: &ids) } ?? .text
    rows.append(
      IndexRow(
        subjectHigh: subject.high, subjectLow: subject.low, milliseconds: event.timestamp.milliseconds,
        sequence: event.sequence ?? 0, attempt: hash(ofAttempt: event.attempt.map(BorrowedBytes.init)),
        type: facts.recordedNumber, context: contextCode(of: event), props: propsCode,
        idStart: UInt32(truncatingIfNeeded: idStart), idByteCount: UInt8(truncatingIfNeeded: idEnd &- idStart),
        idForm: form.rawValue, subjectByteCount: UInt8(truncatingIfNeeded: subjectEnd &- idEnd),
        subjectForm: subjectForm.rawValue, userByteCount: UInt8(truncatingIfNeeded: ids.count &- subjectEnd),
        userForm: userForm.rawValue, measurementCount: measurementCount))
  }

  /// Returns the code of the event's `ctx`.
  @inline(__always)
  private mutating func contextCode(of event: borrowing EventFields) -> UInt32 {
    let identity = event.context.identity
    // The decoder identifies a repeated `ctx` by its address, or by 0 if it does not know it.
    guard identity != 0 else { return context.id(of: BorrowedColumn(event.context.elements)) }
    let hash = (UInt64(identity) &* Self.fibonacciMultiplier) >> (UInt64.bitWidth - Self.knownContextBits)
    let bucket = Int(truncatingIfNeeded: hash)
    if knownContexts[bucket].identity != identity {
      knownContexts[bucket] = KnownContext(
        identity: identity, code: context.id(of: BorrowedColumn(event.context.elements)))
    }
    return knownContexts[bucket].code
  }

  /// Returns the rows recorded since the last call, as a block.
  package mutating func takeBlock() -> RecordedBlock {
    RecordedBlock(
      recorder: number, rows: rows.take(leavingCapacity: rows.count + Self.spareRows),
      ids: ids.take(leavingCapacity: ids.count + Self.spareBytes))
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
    for type in dictionaries.types.count..<types.count { dictionaries.types.append(types[type].array) }
    context.update(&dictionaries.context)
    props.update(&dictionaries.props)
  }

  /// Returns the hash that identifies an attempt, or 0 for no attempt.
  private mutating func hash(ofAttempt attempt: BorrowedBytes?) -> UInt64 {
    guard let attempt else { return 0 }
    // The last one is cached, because consecutive events often have the same attempt.
    if lastAttempt.bytes.isEqual(to: attempt) { return lastAttemptHash }
    lastAttempt.removeAll()
    lastAttempt.append(attempt)
    lastAttemptHash = Self.attemptHash(attempt)
    return lastAttemptHash
  }

  /// Returns the hash of an attempt. It is never 0, which means no attempt.
  private static func attemptHash(_ attempt: BorrowedBytes) -> UInt64 { attempt.withSpan { max(Hash128(of: $0).low, 1) } }

  /// Returns the code of an event's type, which is added if it is new. Returns 0 if there are too many types.
  private mutating func type(of event: borrowing EventFields) -> UInt32 {
    scratch.removeAll()
    EventTypeText.append(event, to: &scratch)
    let hash = ByteHash.hash(scratch.bytes)
    if let code = types.find(scratch.bytes, hash: hash) { return code }
    guard types.count < IndexLimits.typesMax else {
      hasAllTypes = false
      return 0
    }
    return types.findOrInsert(scratch.bytes, hash: hash).id
  }
}

// Not private: in debug builds the compiler (6.3) crashes for a private type in a container that another file destroys.
/// The code of a `ctx`, with the address by which the decoder identifies it.
struct KnownContext: BitwiseCopyable {
  var identity: UInt
  var code: UInt32
}

/// An event as recorded for the index, with its texts replaced by dictionary codes. It takes 64 bytes.
struct IndexRow: BitwiseCopyable, Sendable {
  /// The hash of the subject. Its top bits are the partition.
  var subjectHigh: UInt64
  var subjectLow: UInt64
  var milliseconds: Int64
  var sequence: Int64
  /// A hash of the attempt, or 0 if the event has none.
  var attempt: UInt64
  /// The codes of type, `ctx` and `props` in the recorder's dictionaries.
  var type: UInt32
  var context: UInt32
  var props: UInt32
  /// The offset of the packed ID in ``RecordedBlock/ids``.
  var idStart: UInt32
  var idByteCount: UInt8
  /// The raw value of the ID's ``PackedID/Form``.
  var idForm: UInt8
  /// The number of bytes of the packed subject, which follows the ID.
  var subjectByteCount: UInt8
  /// The raw value of the subject's ``PackedID/Form``.
  var subjectForm: UInt8
  /// The number of bytes of the packed user, which follows the subject; 0 if the event has none.
  var userByteCount: UInt8
  /// The raw value of the user's ``PackedID/Form``.
  var userForm: UInt8
  /// The number of measurements, which precede the ID (``RecordedNumbers``).
  var measurementCount: UInt8

  /// The partition of the subject.
  var partition: Int { Int(truncatingIfNeeded: subjectHigh >> IndexFormat.partitionShift) }

  /// Returns the packed ID in `bytes`, where it begins at an offset.
  @inline(__always)
  func id(in bytes: BorrowedBytes, at offset: Int) -> PackedID {
    PackedID(form: PackedID.Form(rawValue: idForm) ?? .text, bytes: bytes[offset..<offset &+ Int(idByteCount)])
  }

  /// Returns the packed subject in the bytes of the row's block.
  func subject(in bytes: BorrowedBytes) -> PackedID {
    let start = Int(idStart) + Int(idByteCount)
    return PackedID(
      form: PackedID.Form(rawValue: subjectForm) ?? .text, bytes: bytes[start..<start + Int(subjectByteCount)])
  }

  /// Returns the packed user in the bytes of the row's block, or `nil` if the event has none.
  @inline(__always)
  func user(in bytes: BorrowedBytes) -> PackedID? {
    guard userByteCount > 0 else { return nil }
    let start = Int(idStart) + Int(idByteCount) + Int(subjectByteCount)
    return PackedID(form: PackedID.Form(rawValue: userForm) ?? .text, bytes: bytes[start..<start + Int(userByteCount)])
  }
}

/// The index rows of one decoded block, one for each of its events, in the same order.
package final class RecordedBlock: Sendable {
  /// The number of the recorder whose dictionaries decode the codes.
  let recorder: Int
  let rows: UniqueArray<IndexRow>
  /// For each row its measurements, its packed ID, its packed subject and its packed user.
  let ids: UniqueBytes

  init(recorder: Int, rows: consuming UniqueArray<IndexRow>, ids: consuming UniqueBytes) {
    self.recorder = recorder
    self.rows = rows
    self.ids = ids
  }

  /// The number of events.
  package var count: Int { rows.count }

  /// The approximate number of bytes of memory in use.
  package var byteCount: Int { rows.count * MemoryLayout<IndexRow>.stride + ids.count }
}
