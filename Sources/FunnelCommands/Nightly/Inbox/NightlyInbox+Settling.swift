import FunnelModel
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Leaves files in the inbox that somebody may still be writing.
///
/// An uploader that renames its file when it is complete needs none of this (``contents()`` passes over `.part`). Others write under the
/// final name, so a night may come in the middle of a line. A file is left for the next night if
///
/// - it was changed less than ``NightlySettling/span`` ago, by its modification time, or grows while it is looked at twice;
/// - its end is missing, and it was changed less than an hour ago: its last line has no line feed, or its gzip or zip is cut off. A JSON
///   array that is closed needs no line feed. After an hour nobody writes it any more, and what is there is taken.
///
/// Ages are those of the machine's clock, whatever the moment of the night (`--now`) is.
struct NightlySettling {
  /// How long a file must have been unchanged; zero takes files at once.
  let span: TimeSpan
  /// The time of the machine's clock.
  let clock: Timestamp

  static let spanDefault = "60s"
  /// The age in milliseconds up to which a file without its end is taken to be unfinished.
  static let unfinishedMillisecondsMax: Int64 = 3_600_000
  /// The time in milliseconds between two looks at a file's length, if it may have been changed by then.
  static let secondLookMilliseconds: Int64 = 250

  /// Parses the option: a time span, or 0.
  init(_ text: String, clock: Timestamp) throws(FunnelError) {
    guard let span = text == "0" ? TimeSpan(milliseconds: 0) : TimeSpan(text) else {
      throw FunnelError(
        .usage, "not a time span, --settle \(text.printable), write it as 60s or 5m; 0 reads all files at once")
    }
    (self.span, self.clock) = (span, clock)
  }

  /// Returns whether a file that was modified at a time changed less than a number of milliseconds ago. A time in the future as far is
  /// taken for a clock that is ahead; one further in the future says nothing.
  func isYounger(_ modified: Timestamp, than milliseconds: Int64) -> Bool {
    abs(clock.milliseconds - modified.milliseconds) < milliseconds
  }
}

extension NightlyInbox {
  /// Moves the files that may still be written from the arrivals to those that are left.
  func leaveUnsettled(_ contents: inout Contents, _ settling: NightlySettling) throws(FunnelError) {
    var settled: [Arrival] = []
    for arrival in contents.arrivals {
      if let reason = try reasonToWait(arrival, settling) {
        contents.left.add(arrival.name, reason)
      } else {
        settled.append(arrival)
      }
    }
    contents.arrivals = []
    let pause = min(settling.span.milliseconds, NightlySettling.secondLookMilliseconds)
    if !settled.isEmpty, pause > 0 { usleep(UInt32(pause * 1000)) }
    for arrival in settled {
      if try fileSystem.status(of: root.inside(arrival.name))?.size == arrival.status.size {
        contents.arrivals.append(arrival)
      } else {
        contents.left.add(arrival.name, .growing)
      }
    }
  }

  /// Returns why a file must wait for the next night, or nil if it need not by a first look.
  func reasonToWait(_ arrival: Arrival, _ settling: NightlySettling) throws(FunnelError) -> NightlyLeftFiles.Reason? {
    guard let modified = try fileSystem.modified(root.inside(arrival.name)) else { return nil }
    if settling.isYounger(modified, than: settling.span.milliseconds) { return .young(settling.span) }
    guard settling.isYounger(modified, than: NightlySettling.unfinishedMillisecondsMax) else { return nil }
    return try isUnfinished(arrival) ? .unfinished : nil
  }

  /// The number of bytes at the beginning and at the end of a file that tell whether its end is there.
  private static let edgeBytesMax = 4096

  /// Returns whether the end of a file is missing.
  private func isUnfinished(_ arrival: Arrival) throws(FunnelError) -> Bool {
    let file = try fileSystem.open(root.inside(arrival.name), for: .read)
    let size = try fileSystem.size(of: file)
    let beginning = try fileSystem.read(file, at: 0, count: min(size, Self.edgeBytesMax))
    if ZipArchive.isZip(beginning) { return try !ZipArchive.hasEnd(file, fileSystem: fileSystem) }
    if Inflater.isGzip(beginning) { return try isCutGzip(file) }
    let count = min(size, Self.edgeBytesMax)
    let end = try fileSystem.read(file, at: size - count, count: count)
    guard let last = end.last, last != UInt8(ascii: "\n") else { return false }
    let isArray = beginning.first { !Self.isBlank($0) } == UInt8(ascii: "[")
    return !(isArray && end.last { !Self.isBlank($0) } == UInt8(ascii: "]"))
  }

  /// Returns whether a gzip file ends inside a member. Nothing but inflating it tells.
  private func isCutGzip(_ file: File) throws(FunnelError) -> Bool {
    let reader = DecodedReader(file, fileSystem: fileSystem)
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    func readOn() throws(FunnelError) -> Int {
      try buffer.withUnsafeMutableBufferPointer { (space) throws(FunnelError) in
        try reader.read(into: UnsafeMutableRawBufferPointer(space))
      }
    }
    while try readOn() > 0 {}
    return reader.damage?.kind == .truncated
  }

  /// Whether a byte is white space of JSON, or of a byte order mark.
  private static func isBlank(_ byte: UInt8) -> Bool {
    [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains(byte)
  }
}
