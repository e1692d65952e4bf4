import FunnelModel
import FunnelSystem

/// Reads link files (``LinkLines``).
enum LinkFileReader {
  /// A subject and a user that an event of it names.
  struct Link {
    let app: [UInt8]
    let subject: [UInt8]
    let user: [UInt8]
  }

  /// The number of bytes to read at a time.
  private static let chunkByteCount = 1 << 18

  /// Calls a closure with each link of a file.
  ///
  /// - Throws: `noInput` or `inputOutput` if the file can't be read, `unusableInput` if a line is no link.
  static func read(_ path: String, _ body: (Link) -> Void) throws(FunnelError) {
    let disk = LocalFileSystem()
    let stream = FileStream(try disk.open(StoragePath(path), for: .read), fileSystem: disk)
    /// The beginning of a line whose end is not read yet.
    var line: [UInt8] = []
    var lineCount = 0
    func finishLine() throws(FunnelError) {
      lineCount += 1
      guard let link = link(line) else { throw noLink(path, line: lineCount) }
      body(link)
      line.removeAll(keepingCapacity: true)
    }
    while true {
      let chunk = try stream.read(upTo: chunkByteCount)
      if chunk.isEmpty { break }
      var rest = chunk[...]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        line += rest[..<end]
        rest = rest[(end + 1)...]
        try finishLine()
      }
      line += rest
      guard line.count <= Limits.lineBytesMax else { throw noLink(path, line: lineCount + 1) }
    }
    if !line.isEmpty { try finishLine() }
  }

  /// Returns the link of a line, or `nil` if the line is none.
  private static func link(_ line: [UInt8]) -> Link? {
    guard let root = try? JSONDocument(parsing: line).root, let app = text("app", of: root),
      let subject = text("subject", of: root), let user = text("user", of: root)
    else { return nil }
    return Link(app: app, subject: subject, user: user)
  }

  /// Returns the bytes of a string of an object, or `nil` if it is absent, empty, or no string.
  private static func text(_ key: String, of object: JSONDocument.Node) -> [UInt8]? {
    guard let text = object[key]?.string, !text.isEmpty else { return nil }
    return Array(text.utf8)
  }

  private static func noLink(_ path: String, line: Int) -> FunnelError {
    FunnelError(
      .unusableInput,
      "\(path.printable), line \(line), not an object with app, subject and user, name files that 'funnel shard --links FILE INPUT…' wrote"
    )
  }
}
