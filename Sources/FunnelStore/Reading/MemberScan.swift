import FunnelModel
import FunnelSystem

/// The members in a stretch of a part, found whatever else stands there.
struct MemberScan: Sendable {
  /// Bytes that are no member.
  struct Gap: Sendable {
    var range: Range<Int>
    /// What is wrong with the first of them, as a clause.
    var reason: String
  }

  private(set) var members: [MemberReference] = []
  private(set) var gaps: [Gap] = []

  private static let windowBytes = 1 << 18

  /// Hops from header to header; nothing is inflated.
  ///
  /// - Returns: nil where the headers do not lead from one end of the stretch to the other.
  init?(
    hopping range: Range<Int>, of part: PartName, commit: Int, in file: File, _ fileSystem: any FileSystem
  ) throws(FunnelError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let bytes = try fileSystem.read(file, at: offset, count: min(GzipMember.headerBytes, range.upperBound - offset))
      guard case .success(let header) = bytes.header,
        header.memberBytes <= min(range.upperBound - offset, Limits.memberBytesMax)
      else { return nil }
      members.append(MemberReference(part: part, offset: offset, commit: commit, header: header))
      offset += header.memberBytes
    }
  }

  /// Takes what inflates to what its checksum says; where something does not, searches for the next member behind it.
  ///
  /// What a header says of lines and times is put right where it is wrong, as no checksum covers it.
  init(
    searching range: Range<Int>, of part: PartName, commit: Int, in file: File, _ fileSystem: any FileSystem
  ) throws(FunnelError) {
    var offset = range.lowerBound
    var gap: (start: Int, reason: String)?
    while offset < range.upperBound {
      switch try Self.header(at: offset, end: range.upperBound, of: part, in: file, fileSystem) {
      case .success(let header):
        if let gap { gaps.append(Gap(range: gap.start..<offset, reason: gap.reason)) }
        gap = nil
        members.append(MemberReference(part: part, offset: offset, commit: commit, header: header))
        offset += header.memberBytes
      case .failure(let damage):
        if gap == nil { gap = (offset, damage.reason) }
        offset = try Self.nextHeader(in: offset + 1..<range.upperBound, of: file, fileSystem)
      }
    }
    if let gap { gaps.append(Gap(range: gap.start..<range.upperBound, reason: gap.reason)) }
  }

  /// The true header of the member at an offset, or why there is none.
  private static func header(
    at offset: Int, end: Int, of part: PartName, in file: File, _ fileSystem: any FileSystem
  ) throws(FunnelError) -> Result<GzipMember.Header, GzipMember.Damage> {
    let start = try fileSystem.read(file, at: offset, count: min(GzipMember.headerBytes, end - offset))
    let header: GzipMember.Header
    switch start.header {
    case .success(let found): header = found
    case .failure(let damage): return .failure(damage)
    }
    // A length that makes no sense is not read, and no decoder would take what is left for the whole.
    let count = min(header.memberBytes, end - offset, Limits.memberBytesMax)
    return try fileSystem.read(file, at: offset, count: count).decoded.map { raw in
      corrected(header, lines: raw.count { $0 == UInt8(ascii: "\n") }, of: part)
    }
  }

  private static func corrected(_ header: GzipMember.Header, lines: Int, of part: PartName) -> GzipMember.Header {
    var header = header
    header.lines = lines
    if !header.isOfDay(of: part) { header.timestamps = part.day.timestamps }
    return header
  }

  /// Where the next header may stand; the end of the range where there is none.
  private static func nextHeader(
    in range: Range<Int>, of file: File, _ fileSystem: any FileSystem
  ) throws(FunnelError) -> Int {
    var start = range.lowerBound
    while range.upperBound - start >= GzipMember.headerBytes {
      let bytes = try fileSystem.read(file, at: start, count: min(windowBytes, range.upperBound - start))
      if let found = bytes.withUnsafeBytes({ GzipMember.offsetOfHeader(in: $0) }) { return start + found }
      guard start + bytes.count < range.upperBound else { break }
      start += bytes.count - GzipMember.markBytes + 1
    }
    return range.upperBound
  }
}

extension MemberScan? {
  /// The hops, or where they lead astray, what a search finds.
  func orSearching(
    _ range: Range<Int>, of part: PartName, commit: Int, in file: File, _ fileSystem: any FileSystem
  ) throws(FunnelError) -> MemberScan {
    if let self { return self }
    return try MemberScan(searching: range, of: part, commit: commit, in: file, fileSystem)
  }
}

extension [UInt8] {
  /// What the header of the member says that begins here.
  var header: Result<GzipMember.Header, GzipMember.Damage> {
    withUnsafeBytes { bytes in Result { () throws(GzipMember.Damage) in try GzipMember.header(of: bytes) } }
  }

  /// What the member inflates to that these are the bytes of.
  var decoded: Result<[UInt8], GzipMember.Damage> {
    withUnsafeBytes { bytes in Result { () throws(GzipMember.Damage) in try GzipMember.decode(bytes) } }
  }
}

extension GzipMember.Header {
  /// Whether the times it names are of the day the part is of. Those of dead letters and tombstones never decide what is read.
  func isOfDay(of part: PartName) -> Bool {
    part.area != .log || (timestamps.lowerBound.day == part.day && timestamps.upperBound.day == part.day)
  }
}

extension CivilDate {
  /// The first and the last millisecond of the day in UTC.
  var timestamps: ClosedRange<Timestamp> {
    midnight...Timestamp(milliseconds: midnight.milliseconds + Timestamp.millisecondsPerDay - 1)
  }
}
