package import FunnelImport
package import FunnelModel
import FunnelSystem

/// The fields of an event that every report needs, in a fixed size. The hashes are valid in this process only;
/// see ``ProcessHash``.
package struct EventRow: Sendable {
  /// A hash of the subject.
  package var subject: Hash128
  /// A hash of app, name and id: together with the subject, it identifies the event.
  package var identity: UInt64
  /// The time of the event, in milliseconds since 1970.
  package var milliseconds: Int64
  /// The index of the event's flow matches in ``BlockDecoder/flowMatchLists``, or 0 if the event belongs to no flow version.
  package var matchListID: UInt32
  /// The index of the event's dimension values in ``EventRows/dimensionRows``. Unused if no dimensions are wanted.
  package var dimensions: UInt32
  /// A hash of the attempt, at least 1, or 0 if the event has no attempt or attempts are not wanted.
  package var attempt: UInt64
  /// The number of the event's name in the block's ``InputCounts/contents``.
  package var name: UInt32
}

/// The fields of an event that a report needs to order two events of one group that have the same time.
package struct EventRowDetail: Sendable {
  /// The `seq` of the event, or 0 if it has none.
  package var sequence: Int64
  /// The offset of the event's texts in ``EventRows/texts``: the ID, the name and, if they are wanted, the
  /// record, the subject and the attempt, one after another.
  package var text: Int
  package var idByteCount: UInt8
  package var nameByteCount: UInt8
  package var recordByteCount: UInt32
  package var subjectByteCount: UInt8 = 0
  package var attemptByteCount: UInt8 = 0
  /// Whether the event has an attempt.
  package var hasAttempt = false

  /// The number of bytes of all texts.
  package var textByteCount: Int {
    Int(idByteCount) + Int(nameByteCount) + Int(recordByteCount) + Int(subjectByteCount) + Int(attemptByteCount)
  }
}

/// Collects the rows of the events of a block, and counts the events of all blocks.
///
/// One value is reused from block to block. Not thread-safe: each worker owns one.
package struct EventRows: ~Copyable {
  /// The parts of each event that are wanted.
  package struct Wants: Sendable {
    /// Whether each row has its attempt.
    package var attempts = false
    /// Whether each row has its ``EventRowDetail``.
    package var details = false
    /// Whether ``texts`` contains the canonical records.
    package var records = false
    /// Whether ``texts`` contains the subjects and attempts.
    package var names = false
    /// Whether ``InputCounts/fingerprint`` is wanted.
    package var fingerprint = false
    /// The stored dimensions whose values are wanted.
    package var dimensions: [Dimension] = []

    /// Wants rows without optional parts.
    package init() {}
  }

  private let wants: Wants
  private let hasDimensions: Bool
  private let hash = ProcessHash.shared
  private var buffer = EventRowBuffer()
  /// The detail of each row, or none if they are not wanted.
  package private(set) var details: [EventRowDetail] = []
  /// The texts that ``details`` refer to.
  package private(set) var texts: [UInt8] = []
  /// The distinct combinations of values of the wanted dimensions, indexed by ``EventRow/dimensions``. They are
  /// kept from block to block.
  package private(set) var dimensionRows: [[PropertyValue]] = []
  /// The indices of the combinations in ``dimensionRows``, by hash.
  private var numberOfDimensions: [Hash128: UInt32] = [:]
  /// Whether an event of any block had a `seq`.
  package private(set) var hasSequences = false
  /// A message about the first line that was rejected, or `nil` if none was.
  package private(set) var firstRefusal: String?
  /// The position of the block that is being decoded. Lines are counted from 1 in each block.
  private var blockPlace = LineBlock.Place(file: "", line: 1, byteOffset: 0)
  /// A number that identifies these rows in ``EventTypes/Facts/recorder``. It is below -1, because -1 means no
  /// recorder, and the numbers of recorders are not negative.
  private let number = -1 - EventRows.numbersTaken.add(1)
  private static let numbersTaken = AtomicInteger(0)
  /// The counts of all blocks.
  package var counts = InputCounts()
  /// The event counts of the block that is being decoded.
  private var blockEvents = BlockEventCounts()

  /// Creates empty rows for the wanted parts.
  package init(_ wants: Wants) {
    self.wants = wants
    hasDimensions = !wants.dimensions.isEmpty
  }

  /// The rows, valid until the next block is decoded.
  package var rows: UnsafeBufferPointer<EventRow> { buffer.rows }

  /// Removes all rows to make room for the next block.
  package mutating func removeRows() {
    buffer.removeAll()
    details.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
  }

  /// Starts the next block.
  mutating func begin(_ block: LineBlock) {
    blockPlace = block.place
    if block.hasLineNumbers { blockPlace.line = 1 }
    counts.bytes += block.byteCount
  }

  /// Finishes the block.
  ///
  /// - Parameter lineCount: The number of lines, including blank ones, or 0 if the block has line numbers.
  mutating func end(lineCount: Int) {
    counts.firstRefusals.noteBlock(blockPlace, lineCount: lineCount)
    counts.contents.take(&blockEvents)
  }
}

extension EventRows: EventConsumer {
  @inline(__always)
  package mutating func countLine() { counts.lines += 1 }

  package mutating func add(_ aggregate: ImportCounts) { counts.imports.add(aggregate) }

  package mutating func countForgotten() { counts.rejected[.forgotten, default: 0] += 1 }

  @inline(__always)
  package mutating func take(
    _ event: UnsafePointer<EventFields>, line: UnsafeRawBufferPointer, _ resolution: FlowMatcher.Resolution,
    facts: UnsafeMutablePointer<EventTypes.Facts>, block: Int, with encoder: inout CanonicalEncoder
  ) {
    let id = event.pointee.id!
    counts.events += 1
    if event.pointee.sequence != nil { hasSequences = true }
    if facts.pointee.recorder != number {
      facts.pointee.recorder = number
      facts.pointee.recordedNumber = UInt32(counts.contents.number(of: EventTypeName(event.pointee)))
      blockEvents.reserve(number: Int(facts.pointee.recordedNumber))
    }
    blockEvents.add(number: Int(facts.pointee.recordedNumber), milliseconds: event.pointee.timestamp.milliseconds)
    buffer.append(
      EventRow(
        subject: hash.hash(event.pointee.subject),
        identity: ByteWords.hash(id.baseAddress!, count: id.count, seed: facts.pointee.identity.low ^ hash.seed),
        milliseconds: event.pointee.timestamp.milliseconds, matchListID: resolution.matchListID,
        dimensions: hasDimensions ? dimensions(of: event.pointee) : 0,
        attempt: wants.attempts ? event.pointee.attempt.map { max(hash.hash($0).low, 1) } ?? 0 : 0,
        name: facts.pointee.recordedNumber))
    if wants.fingerprint { addToFingerprint(event.pointee.subject, event.pointee.timestamp.milliseconds) }
    if wants.details { takeDetail(of: event, id: id, with: &encoder) }
  }

  /// Adds an event to the fingerprint, a sum of hashes. It does not depend on the order of the events or on the
  /// machine.
  private mutating func addToFingerprint(_ subject: UnsafeRawBufferPointer, _ milliseconds: Int64) {
    guard let start = subject.baseAddress else { return }
    counts.fingerprint &+= ByteWords.hash(start, count: subject.count, seed: UInt64(bitPattern: milliseconds))
  }

  package mutating func refuse(_ reject: Rejection, _ text: RejectedText, at place: LineBlock.Place) {
    counts.rejected[reject.reason, default: 0] += 1
    counts.firstRefusals.add(reject, at: place, in: blockPlace)
    if firstRefusal == nil { firstRefusal = "\(place.file) line \(place.line), \(reject.message)" }
  }

  /// Appends the detail and the texts of an event.
  private mutating func takeDetail(
    of event: UnsafePointer<EventFields>, id: UnsafeRawBufferPointer, with encoder: inout CanonicalEncoder
  ) {
    let start = texts.count
    texts.append(contentsOf: id)
    texts.append(contentsOf: event.pointee.name)
    let recordStart = texts.count
    if wants.records { encoder.append(event, to: &texts) }
    var detail = EventRowDetail(
      sequence: event.pointee.sequence ?? 0, text: start, idByteCount: UInt8(id.count),
      nameByteCount: UInt8(event.pointee.name.count), recordByteCount: UInt32(texts.count - recordStart))
    if wants.names {
      texts.append(contentsOf: event.pointee.subject)
      detail.subjectByteCount = UInt8(event.pointee.subject.count)
      if let attempt = event.pointee.attempt {
        texts.append(contentsOf: attempt)
        detail.attemptByteCount = UInt8(attempt.count)
        detail.hasAttempt = true
      }
    }
    details.append(detail)
  }

  /// Returns the index in ``dimensionRows`` of an event's values, adding the combination if it is new.
  private mutating func dimensions(of event: borrowing EventFields) -> UInt32 {
    var hasher = SipHasher()
    for dimension in wants.dimensions {
      guard dimension == .properties else {
        event.value(of: dimension).combine(into: &hasher)
        continue
      }
      for member in event.props {
        hasher.combine(member.key)
        member.value.combine(into: &hasher)
      }
    }
    let key = hasher.finish()
    if let number = numberOfDimensions[key] { return number }
    let number = UInt32(dimensionRows.count)
    var values: [PropertyValue] = []
    for dimension in wants.dimensions {
      values.append(dimension == .properties ? event.propertiesText : event.value(of: dimension).propertyValue)
    }
    dimensionRows.append(values)
    numberOfDimensions[key] = number
    return number
  }
}

extension EventFields {
  /// Returns the value of a dimension that is a property or a field of the context. It is null if the event
  /// does not have it, and for every other dimension.
  package func value(of dimension: Dimension) -> Scalar {
    switch dimension {
    case .property(let key): property(key) ?? .null
    case .context(let key): contextValue(key) ?? .null
    case .properties, .day, .week, .month, .hour, .weekday, .version, .subject, .step: .null
    }
  }

  /// All properties as one value (``PropertiesText``).
  fileprivate var propertiesText: PropertyValue {
    PropertiesText.encode(props.map { (String(decoding: $0.key, as: UTF8.self), $0.value.propertyValue) })
  }
}

/// A growing array of rows that can't be copied.
///
/// An `Array` checks its uniqueness for each append, which takes longer than writing a row.
struct EventRowBuffer: ~Copyable {
  private var base = UnsafeMutablePointer<EventRow>.allocate(capacity: capacityMin)
  private var capacity = capacityMin
  private var count = 0

  private static let capacityMin = 4096

  deinit { base.deallocate() }

  /// The rows, valid until the buffer changes.
  var rows: UnsafeBufferPointer<EventRow> { UnsafeBufferPointer(start: base, count: count) }

  /// Appends a row.
  @inline(__always)
  mutating func append(_ row: EventRow) {
    if count == capacity { grow() }
    (base + count).initialize(to: row)
    count &+= 1
  }

  /// Removes all rows and keeps the capacity.
  mutating func removeAll() { count = 0 }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<EventRow>.allocate(capacity: 2 * capacity)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
    capacity *= 2
  }
}
