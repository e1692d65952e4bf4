import FunnelSystem

/// Corrects all checksums of a changed run, so that only the reader's own checks prevent reads out of bounds.
enum ForgedRun {
  private static let pageBytes = 16 << 10

  /// Corrects the checksums inside a run's file, and returns that of its directory.
  static func sign(_ bytes: inout [UInt8]) -> UInt32 {
    let trailer = bytes.count - 64
    let directory = number(at: trailer + 16, in: bytes)
    // The directory ends with a checksum of four bytes for each page.
    let checksums = trailer - (directory + pageBytes - 1) / pageBytes * 4
    for (page, start) in stride(from: 0, to: directory, by: pageBytes).enumerated() {
      put(checksum(bytes[start..<min(start + pageBytes, directory)]), at: checksums + page * 4, in: &bytes)
    }
    let whole = checksum(bytes[directory..<trailer])
    put(whole, at: trailer + 40, in: &bytes)
    put(checksum(bytes[trailer..<trailer + 60]), at: trailer + 60, in: &bytes)
    return whole
  }

  /// Returns where the directory of a run has the place of the section `measures` of a partition: its offset and length, 8 bytes each.
  static func placeOfMeasures(ofPartition partition: Int, in bytes: [UInt8]) -> Int {
    let directory = number(at: bytes.count - 64 + 16, in: bytes)
    // An entry of a partition has 8 bytes and then the places of twelve sections, of which `measures` is the ninth.
    return directory + partition * (8 + 12 * 16) + 8 + 8 * 16
  }

  /// Returns the bytes of the section `measures` of a partition.
  static func measures(ofPartition partition: Int, in bytes: [UInt8]) -> Range<Int> {
    let place = placeOfMeasures(ofPartition: partition, in: bytes)
    let start = number(at: place, in: bytes)
    return start..<start + number(at: place + 8, in: bytes)
  }

  /// Writes a run's checksum into the manifest that names it.
  static func sign(_ manifest: inout [UInt8], checksum whole: UInt32, of name: String) {
    let text = Array(name.utf8)
    guard let place = manifest.indices.first(where: { manifest[$0...].starts(with: text) }) else { return }
    put(whole, at: place - 8, in: &manifest)
    signManifest(&manifest)
  }

  /// Corrects the checksum of a changed manifest.
  static func signManifest(_ manifest: inout [UInt8]) {
    put(checksum(manifest.dropLast(4)), at: manifest.count - 4, in: &manifest)
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 { Checksum.crc32(bytes.span) }

  private static func number(at place: Int, in bytes: [UInt8]) -> Int {
    Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) })
  }

  private static func put(_ number: UInt32, at place: Int, in bytes: inout [UInt8]) {
    withUnsafeBytes(of: number) { source in
      for index in 0..<4 { bytes[place + index] = source[index] }
    }
  }
}
