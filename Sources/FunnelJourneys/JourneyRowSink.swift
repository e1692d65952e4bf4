internal import FunnelIngest
internal import FunnelModel

/// Collects the journey rows of a block while its events are decoded.
struct JourneyRowSink: EventSink {
  let wantsRecords: Bool
  private(set) var rows: [JourneyRow] = []
  private(set) var texts: [UInt8] = []
  private(set) var segments: SegmentTable
  private var segmentOfKey: [Hash128: UInt32] = [:]

  init(dimensions: [Dimension], wantsRecords: Bool = false) {
    self.wantsRecords = wantsRecords
    segments = SegmentTable(dimensions: dimensions)
  }

  mutating func append(_ event: EventFields, id: UnsafeRawBufferPointer, resolution: FlowResolver.Resolution) {
    let attempt = event.attempt.map { max(Hash128(of: $0).low, 1) } ?? 0
    rows.append(
      JourneyRow(
        subject: Hash128(of: event.subject), identity: Hash128(high: 0, low: 0), attempt: attempt,
        milliseconds: event.timestamp.milliseconds, sequence: event.sequence ?? 0, kind: resolution.kind,
        flow: Int32(resolution.flow), segment: segment(of: event), block: 0, text: UInt32(texts.count),
        idByteCount: UInt8(id.count), nameByteCount: UInt8(event.name.count), lineHash: 0))
    texts.append(contentsOf: id)
    texts.append(contentsOf: event.name)
  }

  private mutating func segment(of event: EventFields) -> UInt32 {
    guard !segments.dimensions.isEmpty else { return 0 }
    var hasher = SipHasher()
    for dimension in segments.dimensions { Self.value(of: dimension, in: event).combine(into: &hasher) }
    let key = hasher.finish()
    if let segment = segmentOfKey[key] { return segment }
    var values: [PropertyValue] = []
    for dimension in segments.dimensions { values.append(Self.value(of: dimension, in: event).propertyValue) }
    let segment = segments.append(values)
    segmentOfKey[key] = segment
    return segment
  }

  private static func value(of dimension: Dimension, in event: EventFields) -> Scalar {
    switch dimension {
    case .property(let key): event.property(key) ?? .null
    case .context(let key): event.contextValue(key) ?? .null
    case .day, .week, .month: .null
    }
  }
}
