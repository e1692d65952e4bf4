public import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension LocalFileSystem {
  public func size(of file: File) throws(FunnelError) -> Int {
    var status = stat()
    guard fstat(file.descriptor, &status) == 0 else { throw SystemFailure.error(.examine, file.path, errno) }
    return Int(status.st_size)
  }

  public func read(_ file: File, into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int {
    let count = retried { systemRead(file.descriptor, buffer.baseAddress, buffer.count) }
    guard count >= 0 else { throw SystemFailure.error(.read, file.path, errno) }
    return count
  }

  public func read(_ file: File, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FunnelError) -> Int {
    var done = 0
    while done < buffer.count {
      let count = retried { pread(file.descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(offset + done)) }
      guard count >= 0 else { throw SystemFailure.error(.read, file.path, errno) }
      if count == 0 { break }
      done += count
    }
    return done
  }

  public func write(_ bytes: UnsafeRawBufferPointer, to file: File, at offset: Int) throws(FunnelError) {
    var done = 0
    while done < bytes.count {
      var count = retried { pwrite(file.descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done)) }
      // A pipe or a terminal has no offsets.
      if count < 0, errno == ESPIPE {
        count = retried { systemWrite(file.descriptor, bytes.baseAddress! + done, bytes.count - done) }
      }
      guard count >= 0 else { throw SystemFailure.error(.write, file.path, errno) }
      done += count
    }
  }

  public func truncate(_ file: File, to length: Int) throws(FunnelError) {
    let result = retried { ftruncate(file.descriptor, off_t(length)) }
    guard result == 0 else { throw SystemFailure.error(.truncate, file.path, errno) }
  }

  public func sync(_ file: File) throws(FunnelError) {
    #if canImport(Glibc)
      // An interrupted fsync has neither flushed nor failed and is repeated; after any other error it is not called again.
      let result = retried { fsync(file.descriptor) }
    #else
      // Darwin's fsync leaves the data in the drive's cache.
      let result = fcntl(file.descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(file.descriptor)
    #endif
    guard result == 0 else { throw SystemFailure.error(.flush, file.path, errno) }
  }

  public func tryLock(_ file: File) throws(FunnelError) -> Bool {
    let result = retried { flock(file.descriptor, LOCK_EX | LOCK_NB) }
    if result == 0 { return true }
    if errno == EWOULDBLOCK { return false }
    throw SystemFailure.error(.lock, file.path, errno)
  }

  // Inside an extension with methods `read` and `write`, the functions of the C library must be qualified.

  private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
      Glibc.read(descriptor, bytes, count)
    #else
      Darwin.read(descriptor, bytes, count)
    #endif
  }

  private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, bytes, count)
    #else
      Darwin.write(descriptor, bytes, count)
    #endif
  }
}
