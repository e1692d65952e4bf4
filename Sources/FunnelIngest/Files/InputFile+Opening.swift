internal import Dispatch
import FunnelModel
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension InputFile {
  /// Opens the input for reading.
  ///
  /// - Throws: `noInput` if there is no such file, or it can't be read.
  func open() throws(FunnelError) -> File {
    if isStandardInput { return .standardInput }
    if let place { return try LocalFileSystem().open(place, for: .read) }
    var status = stat()
    guard stat(path, &status) == 0 else { throw unreadable(errno) }
    let descriptor: Int32
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFCHR: descriptor = Self.systemOpen(path)
    case S_IFIFO: descriptor = try openWaitingForWriter()
    default: throw FunnelError(.noInput, "neither a file nor a directory, \(path.printable), name a file of events")
    }
    guard descriptor >= 0 else { throw unreadable(errno) }
    return File(descriptor: descriptor, path: StoragePath(path))
  }

  /// Opens a FIFO, and waits a bounded time until another process opens it for writing.
  private func openWaitingForWriter() throws(FunnelError) -> Int32 {
    // `open` blocks without a timeout, so another thread calls it.
    let opening = Opening()
    let path = path
    DispatchQueue.global().async {
      opening.descriptor.store(Int(Self.systemOpen(path)))
      opening.isOpened.signal()
    }
    guard opening.isOpened.wait(timeout: .now() + .seconds(Limits.fifoWaitSecondsMax)) == .success else {
      throw FunnelError(
        .noInput,
        "no program writes to the FIFO, \(path.printable), start the program that fills it within \(Limits.fifoWaitSecondsMax) s"
      )
    }
    return Int32(opening.descriptor.value)
  }

  /// The result of opening a file on another thread.
  private final class Opening: Sendable {
    let descriptor = AtomicInteger(-1)
    let isOpened = DispatchSemaphore(value: 0)
  }

  private static func systemOpen(_ path: String) -> Int32 {
    retried {
      #if canImport(Glibc)
        Glibc.open(path, O_RDONLY | O_CLOEXEC)
      #else
        Darwin.open(path, O_RDONLY | O_CLOEXEC)
      #endif
    }
  }

  private func unreadable(_ number: Int32) -> FunnelError {
    FunnelError(.noInput, "can't read, \(path.printable), \(String(cString: strerror(number)))")
  }
}
