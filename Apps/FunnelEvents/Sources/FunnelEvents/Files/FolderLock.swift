#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The lock of a folder. One recorder of one process holds it until it is deallocated or the process ends.
///
/// The file contains one number of a fixed length, the events that are in no file (``noteUnstored(_:)``). It is overwritten in place, which
/// needs no further room on most file systems, so that the number survives a kill on a full disk.
final class FolderLock {
  private let descriptor: Int32
  /// The number in the file.
  private var unstoredCount: Int
  /// The number of events that were in no file when the last process ended: they waited in memory, or were dropped and are not counted in
  /// the state.
  let lostCount: Int

  /// The number of digits in the file, with leading zeros.
  private static let countDigits = 20

  /// Acquires the lock.
  ///
  /// - Throws: ``EventRecorderError`` with the code `folderInUse` if another recorder holds it.
  init(_ path: String) throws(EventRecorderError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemCalls.failure("open", path) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let isTaken = errno == EWOULDBLOCK
      let failure = SystemCalls.failure("lock", path)
      close(descriptor)
      throw isTaken
        ? EventRecorderError(.folderInUse, "another recorder writes to the folder of \(path); close it, or use another folder")
        : failure
    }
    // The property is set last: if an initializer throws after all properties are set, the deinitializer runs too. It
    // would close the descriptor a second time, which may be another file's by then.
    self.descriptor = descriptor
    lostCount = Self.count(in: descriptor) ?? 0
    unstoredCount = lostCount
    // The file gets its room now, before the disk may be full.
    if lostCount == 0 { write(0) }
  }

  /// Notes the number of events that would be lost, and counted nowhere, if the process was killed now.
  func noteUnstored(_ count: Int) {
    guard count != unstoredCount else { return }
    unstoredCount = count
    write(count)
  }

  /// Overwrites the number. If that fails, the file keeps an earlier one: there is no better place for it.
  private func write(_ count: Int) {
    assert(count >= 0, "a count is not negative")
    let digits = String(count)
    let text = Array((String(repeating: "0", count: max(0, Self.countDigits - digits.count)) + digits + "\n").utf8)
    _ = pwrite(descriptor, text, text.count, 0)
  }

  private static func count(in descriptor: Int32) -> Int? {
    var text = [UInt8](repeating: 0, count: countDigits)
    guard pread(descriptor, &text, countDigits, 0) == countDigits else { return nil }
    return Int(String(decoding: text, as: UTF8.self)).flatMap { $0 >= 0 ? $0 : nil }
  }

  deinit {
    // A child process that was started meanwhile shares the open file until it runs its own program, so closing the
    // descriptor alone would not release the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
