import FunnelDecoding
import FunnelImport
import FunnelModel
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Iterates over the texts of one input file: the file itself, or the entries of a zip and of the zips in it.
///
/// Texts are decompressed. A text is valid until the next one is requested.
final class InputTexts {
  /// A text, or an empty placeholder for a part of a zip that is damaged.
  struct Text {
    /// The position of its first byte.
    var place: LineBlock.Place
    /// The name of the file or of the entry.
    var name: String
    /// The decompressed text in UTF-8. Empty for a damaged part.
    var stream: PeekedStream
    /// The encoding of the text in the input.
    var encoding = TextEncoding.utf8
    fileprivate var origin: Origin

    /// The source of the text, which knows whether it is damaged.
    fileprivate enum Origin {
      case file(DecodedReader)
      case entry(ZipEntryStream, DecodedReader)
      /// A part of a zip that can't be read, with the reason as a clause.
      case damagedPart(reason: String)
    }

    /// The damage that ended the text early, or `nil` if it is complete. Valid only at the end of `stream`.
    var damage: Rejection? {
      switch origin {
      case .damagedPart(let reason): Rejection(.damagedZip, reason)
      case .file(let reader): Self.damage(of: reader)
      // Damage of the gzip data in a damaged entry is a consequence.
      case .entry(let entry, let reader): entry.damage.map { Rejection(.damagedZip, $0) } ?? Self.damage(of: reader)
      }
    }

    private static func damage(of reader: DecodedReader) -> Rejection? {
      reader.damage.map {
        Rejection(.damagedGzip, "\($0.reason), in the gzip member that begins at byte \($0.memberOffset)")
      }
    }
  }

  /// A zip whose entries are being read.
  private struct Zip {
    let archive: ZipArchive
    /// The path as messages show it.
    let path: String
    /// The entry of the outer zip that contains this zip, or `nil` if this zip is the file.
    let entry: ZipEntryStream?
  }

  private let input: InputFile
  private let file: File
  private let csv: CSVDetection
  /// The encoding of all texts, or `nil` to detect it.
  private let encoding: TextEncoding?
  private let meter = InflationMeter()
  /// The nested zips that are being read, the outermost first.
  private var zips: [Zip] = []
  /// Whether the first text has been requested.
  private var isBegun = false
  /// The number of texts and damaged parts so far.
  private var entryCount = 0

  /// Creates an iterator.
  ///
  /// - Parameters:
  ///   - input: The input file.
  ///   - file: The open file.
  ///   - csv: The rule that determines which texts are CSV.
  ///   - encoding: The encoding of all texts, or `nil` to detect it.
  init(_ input: InputFile, _ file: File, csv: CSVDetection, encoding: TextEncoding?) {
    self.input = input
    self.file = file
    self.csv = csv
    self.encoding = encoding
  }

  /// Whether the file is a zip.
  private(set) var isZip = false
  /// The number of texts and damaged parts that were not passed over.
  private var readCount = 0

  /// Whether no text was found so far, or all of them were passed over.
  var hasNoText: Bool { readCount == 0 && (isZip || !passedOver.isEmpty) }

  /// The file, or its entries, that were not read.
  private(set) var passedOver = PassedOverFiles()

  /// Leaves out the text that was requested last.
  func passOver(_ text: Text) {
    passedOver.add(text.place.file, isProse: !isZip)
    readCount -= 1
  }

  /// The number of bytes of the file that were read so far, or 0 if its size is unknown.
  var fileByteCount: Int {
    if input.byteCount == nil { return 0 }
    return zips.first?.archive.position ?? max(Int(lseek(file.descriptor, 0, SEEK_CUR)), 0)
  }

  /// Returns the next text, or `nil` if there are no more.
  func next() throws(FunnelError) -> Text? {
    if !isBegun {
      isBegun = true
      let stream = PeekedStream(FileStream(file))
      guard ZipArchive.isZip(try stream.peek(4)) else {
        readCount = 1
        return try text(stream, at: input.path, name: input.path, entry: nil)
      }
      let archive =
        input.byteCount == nil
        ? ZipArchive(stream, isEntry: false, meter: meter) : ZipArchive(file, meter: meter)
      zips.append(Zip(archive: archive, path: input.path, entry: nil))
      isZip = true
    }
    while let zip = zips.last {
      guard let item = try zip.archive.next() else {
        zips.removeLast()
        if let damaged = try endOfZip(zip) { return damaged }
        continue
      }
      let found: Text?
      switch item {
      case .damage(let damage) where damage.name.map(Self.isHidden) == true: found = nil
      case .damage(let damage): found = damaged(damage.reason, at: Self.path(of: damage.name, in: zip.path))
      case .entry(let entry): found = try begin(entry, in: zip)
      }
      guard let found else { continue }
      readCount += 1
      return found
    }
    return nil
  }

  /// Starts to read a zip entry. Returns `nil` if the entry is skipped, or if it is a zip, whose entries follow.
  private func begin(_ entry: ZipArchive.Entry, in zip: Zip) throws(FunnelError) -> Text? {
    let path = Self.path(of: entry.name, in: zip.path)
    guard !Self.isHidden(entry.name) else { return nil }
    let stream = PeekedStream(entry.stream)
    let beginning = try stream.peek(Self.beginningBytes)
    if ZipArchive.isZip(beginning) {
      guard zips.count < Limits.zipLevelsMax else {
        return damaged("a zip in a zip in a zip is not read", at: path)
      }
      zips.append(Zip(archive: ZipArchive(stream, isEntry: true, meter: meter), path: path, entry: entry.stream))
      return nil
    }
    let first = beginning.trimmingByteOrderMark.first { $0 > 0x20 }
    let isWanted =
      InputFile.isSearched(entry.name) || Inflater.isGzip(beginning) || csv == .always || first == Byte.openBrace
      || first == Byte.openBracket || entry.stream.damage != nil
    guard isWanted else {
      if !entry.name.hasSuffix("/") { passedOver.add(path) }
      return nil
    }
    return try text(stream, at: path, name: entry.name, entry: entry.stream)
  }

  /// The number of bytes in which the type of an entry is detected. White space may precede the first character
  /// of JSON.
  private static let beginningBytes = 256
  /// The number of bytes that are skipped at once.
  private static let skippedBytesMax = 1 << 16

  /// Reads the remainder of a nested zip to its end, where its checksum is verified. Returns a damaged part if
  /// the zip is damaged.
  private func endOfZip(_ zip: Zip) throws(FunnelError) -> Text? {
    guard let entry = zip.entry else { return nil }
    while try !entry.read(upTo: Self.skippedBytesMax).isEmpty {}
    return entry.damage.map { damaged($0, at: zip.path) }
  }

  /// The number of first bytes in which the encoding is detected.
  private static let encodingBytes = 1 << 16

  /// Returns a text that is decompressed if it is gzip, and converted to UTF-8 if it is not.
  private func text(
    _ stream: PeekedStream, at path: String, name: String, entry: ZipEntryStream?
  ) throws(FunnelError) -> Text {
    let reader = DecodedReader(stream, meter: entry == nil ? nil : meter)
    let origin: Text.Origin = if let entry { .entry(entry, reader) } else { .file(reader) }
    let decompressed = PeekedStream(reader)
    let beginning = try decompressed.peek(Self.encodingBytes)
    let encoding = encoding ?? TextEncoding(detecting: beginning.span)
    let text = encoding == .utf8 ? decompressed : PeekedStream(try TranscodedStream(decompressed, from: encoding))
    return Text(place: place(path), name: name, stream: text, encoding: encoding, origin: origin)
  }

  /// Returns an empty text for a damaged part of a zip.
  private func damaged(_ reason: String, at path: String) -> Text {
    Text(place: place(path), name: path, stream: PeekedStream(NoBytes()), origin: .damagedPart(reason: reason))
  }

  /// Returns the position of the next text.
  private func place(_ path: String) -> LineBlock.Place {
    var place = LineBlock.Place(file: path, line: 1, byteOffset: 0, fileNumber: input.number)
    place.input = input.path
    place.entryNumber = entryCount
    entryCount += 1
    return place
  }

  private static func path(of name: String?, in zip: String) -> String { name.map { "\(zip)/\($0)" } ?? zip }

  /// Whether a zip entry is hidden: it, or a folder on its path, begins with a dot or is a metadata folder of macOS.
  private static func isHidden(_ name: String) -> Bool {
    name.split(separator: "/").contains { $0 == "__MACOSX" || ($0.hasPrefix(".") && $0 != "." && $0 != "..") }
  }
}

/// An empty stream.
private final class NoBytes: ByteStream {
  func read(into output: inout OutputSpan<UInt8>) {}
}
