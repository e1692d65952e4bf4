import FunnelSystem

/// Corrects all checksums of a changed run, so that only the reader's own checks prevent reads out of bounds.
enum ForgedRun {
  private static let pageBytes = 16 << 10
  private static let fixedDirectoryBytes = 64 * (8 + 7 * 16) + 3 * 16

  /// Corrects the checksums inside a run's file, and returns that of its directory.
  static func sign(_ bytes: inout [UInt8]) -> UInt32 {
    let trailer = bytes.count - 64
    let directory = Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: trailer + 16, as: UInt64.self) })
    for (page, start) in stride(from: 0, to: directory, by: pageBytes).enumerated() {
      put(
        checksum(bytes[start..<min(start + pageBytes, directory)]), at: directory + fixedDirectoryBytes + page * 4, in: &bytes)
    }
    let whole = checksum(bytes[directory..<trailer])
    put(whole, at: trailer + 40, in: &bytes)
    put(checksum(bytes[trailer..<trailer + 60]), at: trailer + 60, in: &bytes)
    return whole
  }

  /// Writes a run's checksum into the manifest that names it.
  static func sign(_ manifest: inout [UInt8], checksum whole: UInt32, of name: String) {
    let text = Array(name.utf8)
    guard let place = manifest.indices.first(where: { manifest[$0...].starts(with: text) }) else { return }
    put(whole, at: place - 8, in: &manifest)
    put(checksum(manifest.dropLast(4)), at: manifest.count - 4, in: &manifest)
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.withUnsafeBytes { Checksum.crc32($0) } }

  private static func put(_ number: UInt32, at place: Int, in bytes: inout [UInt8]) {
    withUnsafeBytes(of: number) { source in
      for index in 0..<4 { bytes[place + index] = source[index] }
    }
  }
}
