import Foundation
import FunnelTestSupport
import Testing

/// An input that takes little room on the disk and much memory or work to read.
///
/// Python generates each, so that the tests' own memory is not measured along with it. Each has two sizes: one for usual test
/// runs, and one for FUNNEL_SWEEP=full.
struct Bomb: Sendable, CustomTestStringConvertible {
  var testDescription: String
  /// The file name extension, such as `ndjson.gz`.
  var ending: String
  /// A Python statement that writes to `out`, in which `n` is the size, and `gz(pieces)` and `zipped(name, pieces)` write compressed bytes.
  var script: String
  var small: Int
  var full: Int
  /// A text that the summary of an ingest must contain.
  var says: String
  /// The limit of peak memory at full size. It is above 128 only if the events of one commit take more memory, however large
  /// the input is.
  var fullPeakMebibytesMax = 128

  var size: Int { Sweeps.isFull ? full : small }

  static let all: [Bomb] = [
    Bomb(
      "zeros without a line break", "ndjson.gz", "gz(b'\\0' * (1 << 20) for _ in range(n))", small: 20, full: 10_240,
      says: "damaged_gzip"),
    Bomb(
      "lines that are too long", "ndjson.gz", "gz(b'\\1' * (1100 << 10) + b'\\n' for _ in range(n))", small: 6, full: 9_000,
      says: "line_too_long", peak: 160),
    Bomb(
      "bad lines of the greatest length", "ndjson.gz", "gz(b'\\1' * (1000 << 10) + b'\\n' for _ in range(n))", small: 4,
      full: 10_000, says: "invalid_json", peak: 192),
    Bomb(
      "bad lines of one byte", "ndjson.gz", "gz(b'x\\n' * (1 << 12) for _ in range(n))", small: 4, full: 1_300_000,
      says: "invalid_json", peak: 256),
    Bomb(
      "lines that are too long, as they are", "ndjson", "[out.write(b'\\1' * (1100 << 10) + b'\\n') for _ in range(n)]",
      small: 6, full: 1_000, says: "line_too_long", peak: 192),
    Bomb("blank lines", "ndjson.gz", "gz(b'\\n' * (1 << 20) for _ in range(n))", small: 1, full: 10_240, says: "accepted 0 of"),
    Bomb(
      "gzip members of one byte", "ndjson.gz", "out.write(gzip.compress(b'x', 9, mtime=0) * n)", small: 2_000, full: 1_000_000,
      says: "invalid_json"),
    Bomb(
      "empty gzip members", "ndjson.gz", "out.write(gzip.compress(b'', 9, mtime=0) * n)", small: 2_000, full: 1_000_000,
      says: "0 of 0"),
    Bomb(
      "a gzip header that does not end", "ndjson.gz",
      "out.write(b'\\x1f\\x8b\\x08\\x08\\0\\0\\0\\0\\0\\3'); [out.write(b'x' * (1 << 20)) for _ in range(n)]",
      small: 2, full: 5_120, says: "damaged_gzip"),
    Bomb(
      "a gzip file in a gzip file", "ndjson.gz", "out.write(gzip.compress(gzip.compress(b'\\0' * (n << 20))))", small: 16,
      full: 1_024, says: "invalid_utf8"),
    Bomb(
      "an element without an end", "json", "out.write(b'[{\"a\":\"'); [out.write(b'x' * (1 << 20)) for _ in range(n)]",
      small: 300, full: 1_024, says: "1 line_too_long"),
    Bomb(
      "an element of opening brackets", "json", "out.write(b'[{\"a\":'); [out.write(b'[' * (1 << 20)) for _ in range(n)]",
      small: 16, full: 1_024, says: "1 line_too_long"),
    Bomb(
      "a field of CSV without an end", "csv", "out.write(b'a,b\\n1,\"'); [out.write(b'x' * (1 << 20)) for _ in range(n)]",
      small: 300, full: 1_024, says: "1 line_too_long"),
    Bomb(
      "a header of CSV without an end", "csv", "[out.write(b'a,' * (1 << 19)) for _ in range(n)]", small: 16, full: 1_024,
      says: "1 line_too_long"),
    Bomb(
      "long names of columns", "csv",
      "out.write(b','.join(b'%0256d' % i for i in range(1000)) + (b'\\n1' + b',1' * 999) * n)", small: 50, full: 20_000,
      says: "missing_field"),
    Bomb(
      "a zip of zeros", "zip", "zipped('a.json', (b'\\0' * (1 << 20) for _ in range(n)))", small: 20, full: 10_240,
      says: "1 damaged_zip"),
    Bomb(
      "a gzip file in a zip in a zip", "zip",
      "inner = io.BytesIO(); z = zipfile.ZipFile(inner, 'w'); z.writestr('a.gz', gzip.compress(b'\\0' * (n << 20))); z.close(); zipped('inner.zip', [inner.getvalue()])",
      small: 20, full: 1_024, says: "1 damaged_"),
    Bomb(
      "many entries of a zip", "zip",
      "with zipfile.ZipFile(out, 'w') as z: [z.writestr('%010d.json' % i, '') for i in range(n)]",
      small: 2_000, full: 300_000, says: "accepted 0 of"),
    Bomb(
      "many keys in one object", "ndjson",
      "out.write(b'{\"name\":\"a\",\"ts\":1795168800000,\"subject\":\"s\",\"app\":\"x\",\"props\":{' + b','.join(b'\"k%d\":1' % i for i in range(n)) + b'}}\\n')",
      small: 2_000, full: 1_000_000, says: "rejected    1"),
    Bomb(
      "deep arrays", "ndjson", "out.write(b'[' * n + b']' * n + b'\\n')", small: 50_000, full: 1_000_000, says: "rejected    1"
    ),
    Bomb(
      "deep objects", "ndjson", "out.write(b'{\"a\":' * n + b'1' + b'}' * n + b'\\n')", small: 20_000, full: 1_000_000,
      says: "rejected    1"),
    Bomb(
      "the same key many times", "ndjson", "out.write(b'{' + b','.join([b'\"a\":1'] * n) + b'}\\n')", small: 50_000,
      full: 150_000,
      says: "rejected    1"),
    Bomb(
      "numbers of a million digits", "ndjson",
      "out.write(b'{\"name\":\"a\",\"ts\":1795168800000,\"subject\":\"s\",\"app\":\"x\",\"props\":{\"a\":' + b'9' * n + b'}}\\n')",
      small: 100_000,
      full: 1_000_000, says: "rejected    1"),
    Bomb(
      "a new event name in each line", "ndjson",
      "[out.write(b'{\"name\":\"a%d\",\"ts\":1795168800000,\"subject\":\"s\",\"app\":\"x\"}\\n' % i) for i in range(n)]",
      small: 2_000, full: 1_000_000, says: "unclaimed", peak: 1024),
    Bomb(
      "a day of its own for each event", "ndjson",
      "[out.write(b'{\"name\":\"a\",\"ts\":%d,\"subject\":\"s\",\"app\":\"x\"}\\n' % (1167609600000 + i * 86400000)) for i in range(n)]",
      small: 100, full: 7_000, says: "unclaimed"),
  ]

  private init(_ name: String, _ ending: String, _ script: String, small: Int, full: Int, says: String, peak: Int = 128) {
    testDescription = name
    (self.ending, self.script, self.small, self.full, self.says) = (ending, script, small, full, says)
    fullPeakMebibytesMax = peak
  }

  /// Writes the bomb to a file.
  func write(to path: String) throws {
    let program = """
      import gzip, io, sys, zipfile, zlib
      n = int(sys.argv[1])
      out = open(sys.argv[2], 'wb')
      def gz(pieces):
        deflate = zlib.compressobj(9, zlib.DEFLATED, 31)
        for piece in pieces: out.write(deflate.compress(piece))
        out.write(deflate.flush())
      def zipped(name, pieces):
        with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z, z.open(name, 'w', force_zip64=True) as entry:
          for piece in pieces: entry.write(piece)
      \(script)
      """
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", program, "\(size)", path]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw POSIXError(.EIO) }
  }
}
