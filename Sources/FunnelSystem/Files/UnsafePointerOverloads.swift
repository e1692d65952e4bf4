package import FunnelModel

// Overloads for callers that own raw memory. The memory that is passed is valid during the call.

extension ByteStream {
  /// Reads the next bytes into the buffer. Returns the number of bytes read, or 0 at the end of the stream.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int {
    try buffer.fill { (output) throws(FunnelError) in try read(into: &output) }
  }
}

extension FileSystem {
  /// Reads the next bytes of a file into the buffer. Returns the number of bytes read, or 0 at the end of the file.
  package func read(_ file: File, into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int {
    try buffer.fill { (output) throws(FunnelError) in try read(file, into: &output) }
  }

  /// Writes all bytes at an offset.
  package func write(_ bytes: UnsafeRawBufferPointer, to file: File, at offset: Int) throws(FunnelError) {
    try write(bytes.bindMemory(to: UInt8.self).span, to: file, at: offset)
  }
}

extension SpillFile {
  /// Appends bytes and returns their range in the file.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(FunnelError) -> Place {
    try append(bytes.bindMemory(to: UInt8.self).span)
  }

  /// Reads a range of the file to an address with room for it.
  package func read(_ place: Place, into target: UnsafeMutableRawPointer) throws(FunnelError) {
    let buffer = UnsafeMutableRawBufferPointer(start: target, count: place.byteCount)
    _ = try buffer.fill { (output) throws(FunnelError) in try read(place, into: &output) }
  }
}

extension StreamedOutputFile {
  /// Writes a chunk. Returns `false` if the destination is a pipe whose reader has closed it.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(FunnelError) -> Bool {
    try write(bytes.bindMemory(to: UInt8.self).span)
  }
}

extension Checksum {
  /// Returns the CRC-32 of bytes.
  package static func crc32(_ bytes: UnsafeRawBufferPointer) -> UInt32 { crc32(bytes.bindMemory(to: UInt8.self).span) }
}

extension UnsafeMutableRawBufferPointer {
  /// Calls a closure with the memory as an output. Returns the number of bytes that it appended.
  fileprivate func fill(_ body: (inout OutputSpan<UInt8>) throws(FunnelError) -> Void) throws(FunnelError) -> Int {
    let memory = bindMemory(to: UInt8.self)
    var output = OutputSpan(buffer: memory, initializedCount: 0)
    try body(&output)
    return output.finalize(for: memory)
  }
}
