import FunnelModel
import FunnelSystem

/// The gzip members found in a range of a log file, and the gaps between them.
struct MemberScan: Sendable {
  /// A range of bytes that do not belong to a member.
  struct Gap: Sendable {
    var range: Range<Int>
    /// The reason why no member begins at the first byte, as a clause.
    var reason: String
  }

  private(set) var members: [MemberReference] = []
  private(set) var gaps: [Gap] = []

  /// The number of bytes that are searched for a header at once.
  private static let windowBytes = 1 << 18

  /// Finds the members of an intact range by the lengths in their headers, without inflating them.
  ///
  /// - Returns: `nil` if the members do not fill the range exactly.
  init?(
    hopping range: Range<Int>, of logFile: LogFileName, commit: Int, in file: File, _ fileSystem: any FileSystem
  ) throws(FunnelError) {
    precondition(range.lowerBound >= 0, "a range of a file is not negative")
    var offset = range.lowerBound
    while offset < range.upperBound {
      let bytes = try fileSystem.read(file, at: offset, count: min(GzipMember.headerBytes, range.upperBound - offset))
      guard case .success(let header) = bytes.header,
        header.memberBytes <= min(range.upperBound - offset, Limits.memberBytesMax)
      else { return nil }
      members.append(MemberReference(logFile: logFile, offset: offset, commit: commit, header: header))
      offset += header.memberBytes
    }
    assert(members.isEmpty || offset == range.upperBound, "the members fill the range")
  }

  /// Finds the intact members of a damaged range. Each member is inflated and checked; after other bytes, the next
  /// header is searched.
  ///
  /// The number of lines and the timestamps in a header have no checksum. The lines are counted again, and
  /// timestamps outside the log file's day are replaced by the whole day.
  init(
    searching range: Range<Int>, of logFile: LogFileName, commit: Int, in file: File, _ fileSystem: any FileSystem
  ) throws(FunnelError) {
    var offset = range.lowerBound
    // The gap that ends at the offset, if there is one.
    var gap: (start: Int, reason: String)?
    while offset < range.upperBound {
      switch try Self.header(at: offset, end: range.upperBound, of: logFile, in: file, fileSystem) {
      case .success(let header):
        if let gap { gaps.append(Gap(range: gap.start..<offset, reason: gap.reason)) }
        gap = nil
        members.append(MemberReference(logFile: logFile, offset: offset, commit: commit, header: header))
        offset += header.memberBytes
      case .failure(let damage):
        if gap == nil { gap = (offset, damage.reason) }
        offset = try Self.nextHeader(in: offset + 1..<range.upperBound, of: file, fileSystem)
      }
    }
    if let gap { gaps.append(Gap(range: gap.start..<range.upperBound, reason: gap.reason)) }
  }

  /// Returns the corrected header of the member at an offset, or the reason why there is none.
  private static func header(
    at offset: Int, end: Int, of logFile: LogFileName, in file: File, _ fileSystem: any FileSystem
  ) throws(FunnelError) -> Result<GzipMember.Header, GzipMember.Damage> {
    let start = try fileSystem.read(file, at: offset, count: min(GzipMember.headerBytes, end - offset))
    let header: GzipMember.Header
    switch start.header {
    case .success(let found): header = found
    case .failure(let damage): return .failure(damage)
    }
    // At most the remaining bytes are read, whatever length the header has. Decoding fails if they are too few.
    let count = min(header.memberBytes, end - offset, Limits.memberBytesMax)
    return try fileSystem.read(file, at: offset, count: count).decoded.map { raw in
      corrected(header, lines: raw.count { $0 == UInt8(ascii: "\n") }, of: logFile)
    }
  }

  /// Returns a header with the counted number of lines, and with timestamps of the log file's day.
  private static func corrected(_ header: GzipMember.Header, lines: Int, of logFile: LogFileName) -> GzipMember.Header {
    var header = header
    header.lines = lines
    if !header.isOfDay(of: logFile) { header.timestamps = logFile.day.timestamps }
    return header
  }

  /// Returns the offset of the next header in a range, or the end of the range if there is none.
  private static func nextHeader(
    in range: Range<Int>, of file: File, _ fileSystem: any FileSystem
  ) throws(FunnelError) -> Int {
    var start = range.lowerBound
    while range.upperBound - start >= GzipMember.headerBytes {
      let bytes = try fileSystem.read(file, at: start, count: min(windowBytes, range.upperBound - start))
      if let found = GzipMember.offsetOfHeader(in: bytes.span) { return start + found }
      guard start + bytes.count < range.upperBound else { break }
      // Windows overlap, so that a header is found even if it crosses the boundary between two windows.
      start += bytes.count - GzipMember.markBytes + 1
    }
    return range.upperBound
  }
}

extension MemberScan {
  /// Finds the members of a range by the lengths in their headers or, if it is damaged, by a search.
  init(
    _ range: Range<Int>, of logFile: LogFileName, commit: Int, in file: File, _ fileSystem: any FileSystem
  ) throws(FunnelError) {
    if let hops = try MemberScan(hopping: range, of: logFile, commit: commit, in: file, fileSystem) {
      self = hops
    } else {
      try self.init(searching: range, of: logFile, commit: commit, in: file, fileSystem)
    }
  }
}

extension [UInt8] {
  /// The header of the gzip member at the beginning of these bytes.
  var header: Result<GzipMember.Header, GzipMember.Damage> {
    Result { () throws(GzipMember.Damage) in try GzipMember.header(of: span) }
  }

  /// The inflated contents of these bytes, which are one gzip member.
  var decoded: Result<[UInt8], GzipMember.Damage> {
    Result { () throws(GzipMember.Damage) in try GzipMember.decode(span) }
  }
}

extension GzipMember.Header {
  /// Returns whether the header's timestamps are of the log file's day. In areas other than the log, all timestamps
  /// are accepted.
  func isOfDay(of logFile: LogFileName) -> Bool {
    // Only in the log do timestamps decide which members are read.
    logFile.area != .log || (timestamps.lowerBound.day == logFile.day && timestamps.upperBound.day == logFile.day)
  }
}

extension CivilDate {
  /// The range from the first to the last millisecond of the day in UTC.
  var timestamps: ClosedRange<Timestamp> {
    midnight...Timestamp(milliseconds: midnight.milliseconds + Timestamp.millisecondsPerDay - 1)
  }
}
