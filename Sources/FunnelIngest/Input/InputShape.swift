/// The shape of a file in which one JSON value spans many lines or the whole file: none of its lines can be an event.
public enum InputShape: Hashable, Sendable {
  /// An array of events.
  case array
  /// Events that span several lines each.
  case spreadObjects

  /// Creates the shape that the beginning of a file shows, or nil if the file may have one object per line.
  ///
  /// A server's log may begin with `[2026-11-20 10:15:30]`, and a line may be cut off behind its first bracket, so the next character must
  /// fit too.
  init?(beginning bytes: UnsafeRawBufferPointer) {
    var rest = bytes.prefix(Self.bytesMax)[...]
    func next() -> (sign: UInt8?, isOnLaterLine: Bool) {
      let blank = rest.prefix { $0 <= 0x20 }
      rest = rest.dropFirst(blank.count)
      return (rest.popFirst(), blank.contains(UInt8(ascii: "\n")))
    }
    let first = next().sign
    let second = next()
    switch (first, second.sign) {
    case (UInt8(ascii: "["), nil), (UInt8(ascii: "["), UInt8(ascii: "{")), (UInt8(ascii: "["), UInt8(ascii: "[")):
      self = .array
    case (UInt8(ascii: "{"), UInt8(ascii: "\"")) where second.isOnLaterLine: self = .spreadObjects
    default: return nil
    }
  }

  /// The number of bytes that are examined: few blanks precede the characters that decide.
  private static let bytesMax = 4096
}

/// A file that is JSON but does not have one object per line.
public struct MisshapenFile: Hashable, Sendable {
  /// The index of the file in the input.
  var fileNumber: Int
  /// The file as messages show it; `-` for standard input.
  public var file: String
  public var shape: InputShape

  /// The maximum number of files kept: one is described in full, and the exports in a folder have one shape.
  static let countMax = 3

  /// Examines a block of a file; returns nil if it is not the first block, or if it has no such shape.
  init?(_ block: LineBlock) {
    // The first block begins at byte 3 if a byte order mark was skipped.
    guard block.place.byteOffset == 0 || block.place.byteOffset == 3, let shape = block.withBytes(InputShape.init(beginning:))
    else { return nil }
    (fileNumber, file, self.shape) = (block.place.fileNumber, block.place.file, shape)
  }
}
