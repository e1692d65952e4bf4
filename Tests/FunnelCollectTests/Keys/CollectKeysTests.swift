import Foundation
import FunnelModel
import FunnelTestSupport
import Testing

@testable import FunnelCollect

@Suite struct CollectKeysTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func write(_ text: String, mode: Int = 0o600) throws -> String {
    try folder.write(Array(text.utf8), to: "keys")
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path("keys"))
    return folder.path("keys")
  }

  private func error(_ text: String, mode: Int = 0o600) throws -> FunnelError? {
    let path = try write(text, mode: mode)
    return #expect(throws: FunnelError.self) { try CollectKeys(file: path) }
  }

  @Test func `each key has its app`() throws {
    let keys = try CollectKeys(
      file: write("# the apps\n\n8c1f0e6b smilepile\r\n\tanother-key!  other_app  \n8c1f0e6b smilepile\n"))
    #expect(keys.app(for: "8c1f0e6b".utf8) == "smilepile")
    #expect(keys.app(for: Array("another-key!".utf8)) == "other_app")
    for unknown in ["", "8c1f0e6", "8c1f0e6b ", "8C1F0E6B", "smilepile"] { #expect(keys.app(for: unknown.utf8) == nil) }
  }

  @Test func `no description shows a key or an app`() throws {
    let keys = try CollectKeys(parsing: Array("secret-key smilepile\n".utf8), path: "keys")
    var dumped = ""
    dump(keys, to: &dumped)
    for text in ["\(keys)", String(reflecting: keys), dumped, "\([keys])", "\(Optional(keys) as Any)"] {
      #expect(text.contains("1 key"))
      #expect(!text.contains("secret") && !text.contains("smilepile"))
    }
  }

  @Test func `a missing file is 66`() {
    let error = #expect(throws: FunnelError.self) { try CollectKeys(file: folder.path("none")) }
    #expect(error?.code == .noInput)
  }

  @Test(arguments: [0o640, 0o604, 0o601, 0o666])
  func `a file that others may access is 78`(mode: Int) throws {
    let error = try error("8c1f0e6b smilepile\n", mode: mode)
    #expect(error?.code == .configuration)
    #expect(
      error?.message
        == "other users have access to the key file \(folder.path("keys")), protect it with: chmod 600 FILE")
  }

  @Test(arguments: ["", "\n# none\n"])
  func `a file without a key is 78`(text: String) throws {
    let error = try error(text)
    #expect(error?.code == .configuration)
    #expect(
      error?.message
        == "the key file \(folder.path("keys")) has no key, write one in each line, followed by a blank and the app")
  }

  @Test(arguments: [
    ("secret-key", "it has 1 word, not a key and an app"),
    ("secret-key smilepile more", "it has 3 words, not a key and an app"),
    ("secret smilepile", "a key has 8 to 200 printable ASCII characters without blanks"),
    ("sécret-key smilepile", "a key has 8 to 200 printable ASCII characters without blanks"),
    ("smilepile secret-key", "the second word is not the name of an app, such as smilepile"),
    ("first-key-of-all other", "the key already belongs to smilepile"),
  ])
  func `a line that is no key and app is 78, with its number and without the key`(line: String, reason: String) throws {
    let error = try error("# keys\nfirst-key-of-all smilepile\n\(line)\n")
    #expect(error?.code == .configuration)
    #expect(error?.message == "line 3 of the key file \(folder.path("keys")) is invalid: \(reason)")
    #expect(error?.message.contains("ecret") == false)
  }

  @Test func `a folder is no key file`() throws {
    let error = #expect(throws: FunnelError.self) { try CollectKeys(file: folder.path) }
    #expect(error?.code == .configuration)
  }

  @Test func `a file that can't be used leaves the old keys`() throws {
    let keys = try CollectKeys(file: write("8c1f0e6b smilepile\n"))
    let (same, problem) = keys.reloaded(from: try write("nonsense\n"))
    #expect(same.app(for: "8c1f0e6b".utf8) == "smilepile")
    #expect(
      problem
        == "the keys were not read again, the old ones stay: line 1 of the key file \(folder.path("keys")) is invalid:"
        + " it has 1 word, not a key and an app")
    let (new, none) = keys.reloaded(from: try write("new-key-1 smilepile\n"))
    #expect(none == nil)
    #expect(new.app(for: "8c1f0e6b".utf8) == nil)
    #expect(new.app(for: "new-key-1".utf8) == "smilepile")
  }
}
