import FunnelModel
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The texts of one input, one after another: the file itself, or the entries of a zip, of a zip within it too.
///
/// A text is given out inflated. It can be read until the next one is asked for.
final class InputTexts {
  /// A text, or what is damaged instead of one.
  struct Text {
    /// The place at which it begins.
    var place: LineBlock.Place
    /// The name of the file or of the entry.
    var name: String
    /// The inflated text; empty if there is only damage.
    var stream: PeekedStream
    fileprivate var reader: DecodedReader?
    fileprivate var entry: ZipEntryStream?
    fileprivate var zipDamage: String?

    /// Why the text ended before its end, known once `stream` is at its end.
    var damage: Rejection? {
      // What a damaged entry is a part of is damaged too.
      if let reason = zipDamage ?? entry?.damage { return Rejection(.damagedZip, reason) }
      return reader?.damage.map {
        Rejection(.damagedGzip, "\($0.reason), in the gzip member that begins at byte \($0.memberOffset)")
      }
    }
  }

  /// A zip that is being read.
  private struct Zip {
    let archive: ZipArchive
    /// The path as messages show it.
    let path: String
    /// The entry of another zip that it is.
    let entry: ZipEntryStream?
  }

  private let input: InputFile
  private let file: File
  private let csv: CSVDetection
  private let meter = InflationMeter()
  private var zips: [Zip] = []
  private var isBegun = false
  private var entryCount = 0

  init(_ input: InputFile, _ file: File, csv: CSVDetection) {
    self.input = input
    self.file = file
    self.csv = csv
  }

  /// Whether the input proved to be a zip with nothing in it to read.
  private(set) var isEmptyZip = false

  /// The number of bytes of the file that were read so far, or 0 if its size is not known.
  var fileByteCount: Int {
    if input.byteCount == nil { return 0 }
    return zips.first?.archive.position ?? max(Int(lseek(file.descriptor, 0, SEEK_CUR)), 0)
  }

  /// Returns the next text, or nil if there are no more.
  func next() throws(FunnelError) -> Text? {
    if !isBegun {
      isBegun = true
      let stream = PeekedStream(FileStream(file))
      guard ZipArchive.isZip(try stream.peek(4)) else { return text(stream, at: input.path, name: input.path, entry: nil) }
      let archive =
        input.byteCount == nil
        ? ZipArchive(stream, isEntry: false, meter: meter) : ZipArchive(file, meter: meter)
      zips.append(Zip(archive: archive, path: input.path, entry: nil))
      isEmptyZip = true
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
      isEmptyZip = false
      return found
    }
    return nil
  }

  /// Begins to read an entry. Returns nil if it is none to be read, or a zip, whose entries follow.
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
    return isWanted ? text(stream, at: path, name: entry.name, entry: entry.stream) : nil
  }

  /// The number of bytes by which an entry is known; few blanks precede the first sign of JSON.
  private static let beginningBytes = 256

  /// Reads what is left of a zip in a zip, and returns it if it is damaged.
  private func endOfZip(_ zip: Zip) throws(FunnelError) -> Text? {
    guard let entry = zip.entry else { return nil }
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { space.deallocate() }
    while try entry.read(into: space) > 0 {}
    return entry.damage.map { damaged($0, at: zip.path) }
  }

  private func text(_ stream: PeekedStream, at path: String, name: String, entry: ZipEntryStream?) -> Text {
    let reader = DecodedReader(stream, meter: entry == nil ? nil : meter)
    return Text(place: place(path), name: name, stream: PeekedStream(reader), reader: reader, entry: entry)
  }

  private func damaged(_ reason: String, at path: String) -> Text {
    Text(place: place(path), name: path, stream: PeekedStream(NoBytes()), zipDamage: reason)
  }

  private func place(_ path: String) -> LineBlock.Place {
    var place = LineBlock.Place(file: path, line: 1, byteOffset: 0, fileNumber: input.number)
    place.input = input.path
    place.entryNumber = entryCount
    entryCount += 1
    return place
  }

  private static func path(of name: String?, in zip: String) -> String { name.map { "\(zip)/\($0)" } ?? zip }

  /// Returns whether a folder on the entry's path, or the entry, is one that a search of folders passes over, or one of macOS's own.
  private static func isHidden(_ name: String) -> Bool {
    name.split(separator: "/").contains { $0 == "__MACOSX" || ($0.hasPrefix(".") && $0 != "." && $0 != "..") }
  }
}

/// A stream without bytes.
private final class NoBytes: ByteStream {
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
}
