public import FunnelModel

extension FileSystem {
  /// Writes all bytes at an offset.
  public func write(_ bytes: [UInt8], to file: File, at offset: Int) throws(FunnelError) {
    try bytes.withUnsafeBufferPointer { (buffer) throws(FunnelError) in
      try write(UnsafeRawBufferPointer(buffer), to: file, at: offset)
    }
  }

  /// Reads `count` bytes from an offset. Returns fewer only if the file is shorter.
  public func read(_ file: File, at offset: Int, count: Int) throws(FunnelError) -> [UInt8] {
    try [UInt8](capacity: count) { (buffer) throws(FunnelError) in
      try read(file, at: offset, into: buffer)
    }
  }

  /// Reads a whole file into memory.
  ///
  /// - Throws: `inputOutput` if the file is longer than `bytesMax`, and the errors of opening and reading.
  public func readAll(_ path: StoragePath, bytesMax: Int) throws(FunnelError) -> [UInt8] {
    let file = try open(path, for: .read)
    let size = try size(of: file)
    guard size <= bytesMax else {
      throw FunnelError(
        .inputOutput, "\(path) has \(size) bytes, more than the \(bytesMax) that are read, check that it is the right file")
    }
    return try read(file, at: 0, count: size)
  }

  /// Creates a folder and its missing ancestors, and makes them durable. Returns whether the folder was created.
  ///
  /// It is not an error if another process creates the folder at the same time.
  @discardableResult
  public func createDirectories(_ path: StoragePath) throws(FunnelError) -> Bool {
    if try isDirectory(path) { return false }
    let parent = path.parent
    if parent != path { try createDirectories(parent) }
    do throws(FunnelError) {
      try createDirectory(path)
    } catch {
      guard try isDirectory(path) else { throw error }
      // The process that created it may not have flushed it yet.
      try syncDirectory(parent)
      return false
    }
    try syncDirectory(parent)
    return true
  }

  /// Returns `true` if there is a folder at a path, and `false` if there is nothing.
  ///
  /// - Throws: `cannotCreate` if there is a file of another kind, or if the path can't be examined.
  private func isDirectory(_ path: StoragePath) throws(FunnelError) -> Bool {
    let present: FileStatus?
    do throws(FunnelError) {
      present = try status(of: path)
    } catch {
      throw error.code == .noInput ? FunnelError(.cannotCreate, error.message) : error
    }
    guard let present else { return false }
    guard present.kind == .directory else {
      throw FunnelError(.cannotCreate, "cannot create the folder \(path): something else has that name, choose another")
    }
    return true
  }
}

extension [UInt8] {
  /// Creates an array of at most `capacity` bytes, filled by a closure that returns the number of bytes it wrote.
  init(
    capacity: Int, fill: (UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int
  ) throws(FunnelError) {
    var failure: FunnelError?
    self.init(unsafeUninitializedCapacity: capacity) { buffer, count in
      do throws(FunnelError) {
        count = try fill(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<capacity]))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }
}
