import Crypto
package import FunnelModel
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The keys with which apps send events, and the app of each.
///
///     # key                 app
///     8c1f0e6b2a9d4c53      smilepile
///
/// Only the hashes of the keys are kept, so no message or dump of memory shows a key.
package struct CollectKeys: Sendable {
  /// The hash of a key and the app that it belongs to.
  private struct Entry: Sendable {
    let hash: SHA256.Digest
    let app: String
  }

  private let entries: [Entry]

  /// The most bytes that a key file may have.
  private static let fileBytesMax = 1 << 20
  /// The lengths of a key.
  private static let keyLengths = 8...200
  /// The permissions that a key file must not give to other users.
  private static let othersMask: mode_t = 0o077

  /// Reads a key file.
  ///
  /// - Throws: `noInput` if there is no file or it can't be read; `configuration` if others have access to it, or its
  ///   contents are invalid. No message contains a key.
  package init(file path: String) throws(FunnelError) {
    let fileSystem = LocalFileSystem()
    let file = try fileSystem.open(StoragePath(path), for: .read)
    try Self.requirePrivate(file)
    let size = try fileSystem.size(of: file)
    guard size <= Self.fileBytesMax else {
      throw FunnelError(
        .configuration,
        "the key file \(path.printable) has \(size) bytes, more than \(Self.fileBytesMax), check that it is the right file")
    }
    try self.init(parsing: fileSystem.read(file, at: 0, count: size), path: path)
  }

  /// Parses the contents of a key file: `KEY APP` a line; blank lines and lines that begin with `#` are skipped.
  ///
  /// - Throws: `configuration` if a line has another form, a key is given to two apps, or there is no key.
  init(parsing bytes: [UInt8], path: String) throws(FunnelError) {
    var entries: [Entry] = []
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
      guard let first = words.first, first.first != UInt8(ascii: "#") else { continue }
      do throws(Mistake) {
        let entry = try Self.entry(words)
        if let known = entries.first(where: { $0.hash == entry.hash }) {
          guard known.app == entry.app else { throw Mistake(reason: "the key already belongs to \(known.app)") }
        } else {
          entries.append(entry)
        }
      } catch {
        throw FunnelError(.configuration, "line \(index + 1) of the key file \(path.printable) is invalid: \(error.reason)")
      }
    }
    guard !entries.isEmpty else {
      throw FunnelError(
        .configuration, "the key file \(path.printable) has no key, write one in each line, followed by a blank and the app")
    }
    self.entries = entries
  }

  /// Returns the SHA-256 of a key. It is kept in place of the key.
  static func hash(of key: some Collection<UInt8>) -> SHA256.Digest { SHA256.hash(data: Array(key)) }

  /// Returns the app of a key, or `nil` if the key is unknown. The time does not depend on which key it resembles.
  package func app(for key: some Collection<UInt8>) -> String? {
    let hash = Self.hash(of: key)
    var found: String?
    for entry in entries {
      // The comparison of digests takes the same time wherever they differ.
      if entry.hash == hash { found = entry.app }
    }
    return found
  }

  /// Returns the keys of a file for a running process. If the file can't be used, returns these keys and the reason.
  package func reloaded(from path: String) -> (keys: CollectKeys, problem: String?) {
    do throws(FunnelError) {
      return (try CollectKeys(file: path), nil)
    } catch {
      return (self, "the keys were not read again, the old ones stay: \(error.message)")
    }
  }
}

extension CollectKeys {
  /// The reason why a line is invalid, as a clause without the key.
  private struct Mistake: Error {
    let reason: String
  }

  private static func entry(_ words: [ArraySlice<UInt8>]) throws(Mistake) -> Entry {
    guard words.count == 2 else {
      throw Mistake(reason: "it has \(Quantity.counted(words.count, "word")), not a key and an app")
    }
    guard keyLengths.contains(words[0].count), words[0].allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Mistake(
        reason: "a key has \(keyLengths.lowerBound) to \(keyLengths.upperBound) printable ASCII characters without blanks")
    }
    // The second word may be a key too, if the order is wrong, so it is not quoted.
    guard let app = String(validUTF8: words[1]), NameSyntax.matches(app) else {
      throw Mistake(reason: "the second word is not the name of an app, such as smilepile")
    }
    return Entry(hash: hash(of: words[0]), app: app)
  }

  /// Throws if a file is not a regular one, or if other users than its owner have access to it.
  private static func requirePrivate(_ file: File) throws(FunnelError) {
    var status = stat()
    guard fstat(file.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw FunnelError(.configuration, "the key file \(file.path.description.printable) is not a regular file, name a file")
    }
    guard status.st_mode & othersMask == 0 else {
      throw FunnelError(
        .configuration,
        "other users have access to the key file \(file.path.description.printable), protect it with: chmod 600 FILE")
    }
  }
}

extension CollectKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The number of keys. Never a key.
  package var description: String { entries.count == 1 ? "1 key" : "\(entries.count) keys" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
