package import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension LocalFileSystem {
  package func size(of file: File) throws(FunnelError) -> Int {
    var status = stat()
    guard fstat(file.descriptor, &status) == 0 else { throw SystemFailure.error(.examine, file.path, errno) }
    return Int(status.st_size)
  }

  package func read(_ file: File, into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    do throws(SystemError) {
      try SystemCalls.read(file.descriptor, into: &output)
    } catch {
      throw SystemFailure.error(.read, file.path, error.number)
    }
  }

  package func read(_ file: File, at offset: Int, into output: inout OutputSpan<UInt8>) throws(FunnelError) {
    do throws(SystemError) {
      try SystemCalls.read(file.descriptor, at: offset, into: &output)
    } catch {
      throw SystemFailure.error(.read, file.path, error.number)
    }
  }

  package func write(_ bytes: Span<UInt8>, to file: File, at offset: Int) throws(FunnelError) {
    do throws(SystemError) {
      try SystemCalls.write(bytes, to: file.descriptor, at: offset)
    } catch {
      throw SystemFailure.error(.write, file.path, error.number)
    }
  }

  package func truncate(_ file: File, to length: Int) throws(FunnelError) {
    let result = retried { ftruncate(file.descriptor, off_t(length)) }
    guard result == 0 else { throw SystemFailure.error(.truncate, file.path, errno) }
  }

  package func sync(_ file: File) throws(FunnelError) {
    #if canImport(Glibc)
      // An interrupted fsync has neither flushed nor failed and is repeated; after any other error it is not called again.
      let result = retried { fsync(file.descriptor) }
    #else
      // Darwin's fsync leaves the data in the drive's cache.
      let result = fcntl(file.descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(file.descriptor)
    #endif
    guard result == 0 else { throw SystemFailure.error(.flush, file.path, errno) }
  }

  package func tryLock(_ file: File) throws(FunnelError) -> Bool {
    let result = retried { flock(file.descriptor, LOCK_EX | LOCK_NB) }
    if result == 0 { return true }
    if errno == EWOULDBLOCK { return false }
    throw SystemFailure.error(.lock, file.path, errno)
  }
}
