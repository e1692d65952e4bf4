import FunnelModel

/// The name of a file in a spool, such as `collect-2026-11-20T10-15-30-123Z-9f86d081884c7d65-000001.ndjson`.
///
/// The parts are the time at which the file was created, a random number of the process, and the number of the file in
/// the process. Names therefore never collide, and their order is that of the times.
struct SpoolFileName: Hashable, Comparable {
  /// The time at which the file was created.
  let created: Timestamp
  /// The name of the finished file.
  let finished: String

  /// The name of the file while it is being written.
  var open: String { finished + Self.openSuffix }

  private static let prefix = "collect-"
  private static let finishedSuffix = ".ndjson"
  private static let openSuffix = ".part"
  /// The number of characters of a time, which is RFC 3339 with hyphens instead of colons and the point: a colon has a
  /// meaning in the paths of macOS and of `scp`.
  private static let timeLength = 24

  /// Creates the name of a new file.
  init(created: Timestamp, process: UInt64, number: Int) {
    precondition(number > 0, "files are numbered from 1")
    self.created = created
    var time: [UInt8] = []
    created.append(to: &time)
    assert(time.count == Self.timeLength, "a time has a fixed length")
    let timeText = String(decoding: time, as: UTF8.self).replacing(":", with: "-").replacing(".", with: "-")
    finished =
      "\(Self.prefix)\(timeText)-\(Self.padded(String(process, radix: 16), to: 16))-"
      + "\(Self.padded(String(number), to: 6))\(Self.finishedSuffix)"
  }

  /// Parses the name of a finished file, or returns `nil` if it is not one of a spool.
  init?(finished name: String) {
    guard name.hasPrefix(Self.prefix), name.hasSuffix(Self.finishedSuffix) else { return nil }
    var time = Array(name.utf8.dropFirst(Self.prefix.utf8.count).prefix(Self.timeLength))
    guard time.count == Self.timeLength else { return nil }
    for index in [13, 16] where time[index] == UInt8(ascii: "-") { time[index] = UInt8(ascii: ":") }
    time[19] = UInt8(ascii: ".")
    guard let created = Timestamp(rfc3339: time.span) else { return nil }
    self.created = created
    finished = name
  }

  /// Parses the name of a file that was being written, or returns `nil` if it is not one of a spool.
  init?(open name: String) {
    guard name.hasSuffix(Self.openSuffix) else { return nil }
    self.init(finished: String(name.dropLast(Self.openSuffix.count)))
  }

  static func < (lhs: SpoolFileName, rhs: SpoolFileName) -> Bool {
    lhs.finished.utf8.lexicographicallyPrecedes(rhs.finished.utf8)
  }

  private static func padded(_ digits: String, to length: Int) -> String {
    String(repeating: "0", count: max(0, length - digits.utf8.count)) + digits
  }
}
