package import FunnelModel
import FunnelSystem

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
    /// Whether each row has its user.
    package var users = false
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
  /// Whether an event of any block named a user.
  package private(set) var hasUsers = false
  private var loggedUsers = LoggedUsers()
  /// The users, indexed by ``EventRow/user`` minus one. They are kept from block to block.
  package var users: [LoggedUser] { loggedUsers.users }
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
  package var rows: Span<EventRow> {
    @_lifetime(borrow self)
    get { buffer.rows }
  }

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

extension EventRows: CountingConsumer {
  @inline(__always)
  package mutating func take(
    _ event: EventReference, line: Span<UInt8>, _ resolution: FlowMatcher.Resolution, facts: inout EventTypes.Facts, block: Int,
    with encoder: inout CanonicalEncoder
  ) {
    guard let id = event.fields.id else { preconditionFailure("an event has an ID") }
    counts.events += 1
    if event.fields.sequence != nil { hasSequences = true }
    if facts.recorder != number {
      facts.recorder = number
      facts.recordedNumber = UInt32(counts.contents.number(of: EventTypeName(event.fields)))
      blockEvents.reserve(number: Int(facts.recordedNumber))
    }
    blockEvents.add(number: Int(facts.recordedNumber), milliseconds: event.fields.timestamp.milliseconds)
    buffer.append(
      EventRow(
        subject: hash.hash(event.fields.subject.span),
        identity: ByteWords.hash(PaddedText(id), seed: facts.identity.low ^ hash.seed),
        milliseconds: event.fields.timestamp.milliseconds, matchListID: resolution.matchListID,
        dimensions: hasDimensions ? dimensions(of: event.fields) : 0,
        attempt: wants.attempts ? event.fields.attempt.map { max(hash.hash($0.span).low, 1) } ?? 0 : 0,
        name: facts.recordedNumber, user: user(of: event)))
    if wants.fingerprint { addToFingerprint(PaddedText(event.fields.subject), event.fields.timestamp.milliseconds) }
    if wants.details { takeDetail(of: event, with: &encoder) }
  }

  /// Returns the value of ``EventRow/user`` for an event.
  @inline(__always)
  private mutating func user(of event: EventReference) -> UInt32 {
    guard let user = event.fields.linkingUser else { return 0 }
    hasUsers = true
    return wants.users ? loggedUsers.number(of: user, app: event.fields.app, key: hash.hash(user.span)) : 0
  }

  /// Adds an event to the fingerprint, a sum of hashes. It does not depend on the order of the events or on the
  /// machine.
  private mutating func addToFingerprint(_ subject: PaddedText, _ milliseconds: Int64) {
    counts.fingerprint &+= ByteWords.hash(subject, seed: UInt64(bitPattern: milliseconds))
  }

  package mutating func refuse(_ reject: Rejection, _ text: borrowing RejectedText, at place: LineBlock.Place) {
    counts.rejected[reject.reason, default: 0] += 1
    counts.firstRefusals.add(reject, at: place, in: blockPlace)
    if firstRefusal == nil { firstRefusal = "\(place.file) line \(place.line), \(reject.message)" }
  }

  /// Appends the detail and the texts of an event.
  private mutating func takeDetail(of event: EventReference, with encoder: inout CanonicalEncoder) {
    let start = texts.count
    let idByteCount = append(event.fields.id)
    let nameByteCount = append(event.fields.name)
    let recordStart = texts.count
    if wants.records { encoder.append(event, to: &texts) }
    var detail = EventRowDetail(
      sequence: event.fields.sequence ?? 0, text: start, idByteCount: idByteCount, nameByteCount: nameByteCount,
      recordByteCount: UInt32(texts.count - recordStart))
    if wants.names {
      detail.subjectByteCount = append(event.fields.subject)
      detail.attemptByteCount = append(event.fields.attempt)
      detail.hasAttempt = event.fields.attempt != nil
    }
    details.append(detail)
  }

  /// Appends a text, if there is one, and returns its length.
  private mutating func append(_ text: BorrowedText?) -> UInt8 {
    guard let text else { return 0 }
    texts.append(contentsOf: text.raw)
    return UInt8(text.count)
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
        hasher.combine(member.key.span)
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
