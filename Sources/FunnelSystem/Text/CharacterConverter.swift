import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Converts a text from another encoding to UTF-8, piece by piece, by the system's `iconv`. Not thread-safe.
package final class CharacterConverter {
  private let descriptor: iconv_t
  /// The bytes of a character whose end was not read yet.
  private var unfinished: [UInt8] = []

  /// The number of UTF-8 bytes that are converted at a time.
  private static let outputBytes = 1 << 16

  /// Creates a converter.
  ///
  /// - Parameter name: The name of the encoding, as `iconv --list` prints it.
  /// - Returns: `nil` if the system does not know the encoding.
  package init?(from name: String) {
    guard let descriptor = iconv_open("UTF-8", name), descriptor != iconv_t(bitPattern: -1) else { return nil }
    self.descriptor = descriptor
  }

  deinit { iconv_close(descriptor) }

  /// Converts the next bytes of the text.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - isEnd: Whether the text ends with them.
  ///   - converted: The array to which the characters are appended. An invalid byte becomes the replacement character.
  /// - Returns: The number of invalid bytes.
  @discardableResult
  package func convert(_ bytes: [UInt8], isEnd: Bool, into converted: inout [UInt8]) -> Int {
    var input = unfinished + bytes
    unfinished = []
    var position = 0
    var invalidCount = 0
    let chunk = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Self.outputBytes)
    defer { chunk.deallocate() }
    while position < input.count {
      let failure = input.withUnsafeMutableBytes { buffer -> Int32 in
        var source = buffer.baseAddress?.advanced(by: position).assumingMemoryBound(to: CChar.self)
        var remaining = buffer.count - position
        var target = chunk.baseAddress
        var free = chunk.count
        let result = iconv(descriptor, &source, &remaining, &target, &free)
        let number = errno
        position = buffer.count - remaining
        converted.append(contentsOf: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(chunk)[..<(chunk.count - free)]))
        return result == -1 ? number : 0
      }
      switch failure {
      case 0, E2BIG: continue
      case EINVAL where !isEnd:
        unfinished = Array(input[position...])
        return invalidCount
      default:
        converted += Array("\u{FFFD}".utf8)
        position += 1
        invalidCount += 1
      }
    }
    return invalidCount
  }
}
