/// What a file is in which one JSON value goes over many lines, or is the whole file: none of its lines can be an event.
public enum InputShape: Hashable, Sendable {
  /// An array of events.
  case array
  /// Events, each over several lines.
  case spreadObjects

  /// The shape that the beginning of a file tells; returns nil if it may be one object a line.
  ///
  /// A log of a server may begin with `[2026-11-20 10:15:30]`, and a line may break off behind its first bracket: so what follows must fit.
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

  /// Blanks in front of what tells the shape are few.
  private static let bytesMax = 4096
}

/// A file that is JSON, but not one object a line.
public struct MisshapenFile: Hashable, Sendable {
  /// Its place among the files of the input.
  var fileNumber: Int
  /// The file as messages show it; `-` for standard input.
  public var file: String
  public var shape: InputShape

  /// How many are kept: one is told in full, and a folder of exports has one shape.
  static let countMax = 3

  /// Looks at a block of a file; returns nil if it is not the first one, or is as it should be.
  init?(_ block: LineBlock) {
    // A byte order mark takes three bytes.
    guard block.place.byteOffset == 0 || block.place.byteOffset == 3, let shape = block.withBytes(InputShape.init(beginning:))
    else { return nil }
    (fileNumber, file, self.shape) = (block.place.fileNumber, block.place.file, shape)
  }
}
