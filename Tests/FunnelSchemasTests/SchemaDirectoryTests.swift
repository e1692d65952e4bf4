import Foundation
import FunnelModel
import FunnelSchemas
import Testing

@Suite final class SchemaDirectoryTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "schemas-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder.appending(path: "flows"), withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: folder.appending(path: name))
  }

  private func flow(_ app: String, version: Int = 1, title: String = "t") -> String {
    "{\"app\":\"\(app)\",\"flow\":\"f\",\"version\":\(version),\"title\":\"\(title)\",\"steps\":[{\"id\":\"s\"}]}"
  }

  @Test func `the definitions of a directory and of its flows directory are read, and nothing beside them`() throws {
    try write("b.json", flow("b"))
    try write("a.json", flow("a"))
    try write("flows/c.json", flow("c"))
    for name in [".hidden.json", "privacy.json", "x.schema.json", "notes.txt", "flows/.d.json"] {
      try write(name, "not a flow")
    }
    let files = try SchemaDirectory.load(folder.path)
    #expect(files.map(\.definition.app) == ["a", "b", "c"])
    #expect(files.map(\.name) == ["a.json", "b.json", "flows/c.json"].map { "\(folder.path)/\($0)" })
    #expect(files.allSatisfy { $0.origin == .user })
    #expect(files[0].bytes == Array(flow("a").utf8))
  }

  @Test func `one file may be given by its path, and through a symbolic link`() throws {
    try write("a.txt", flow("a"))
    let link = folder.appending(path: "link.json")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.appending(path: "a.txt"))
    #expect(try SchemaDirectory.load(folder.appending(path: "a.txt").path).map(\.definition.app) == ["a"])
    #expect(try SchemaDirectory.load(link.path).map(\.definition.app) == ["a"])
  }

  @Test func `an empty directory has no definitions`() throws {
    #expect(try SchemaDirectory.load(folder.path + "/").isEmpty)
  }

  @Test func `a broken file is refused with its path and place, and all of them are found by a check`() throws {
    try write("a.json", "{\"app\":1}")
    try write("b.json", "{")
    let error = #expect(throws: FunnelError.self) { try SchemaDirectory.load(folder.path) }
    #expect(error?.code == .configuration)
    #expect(error?.message.hasPrefix("\(folder.path)/a.json:1:1: $: the key \"flow\" is missing") == true)
    let outcomes = try SchemaDirectory.check(folder.path)
    #expect(outcomes.map(\.path) == ["\(folder.path)/a.json", "\(folder.path)/b.json"])
  }

  @Test func `what is not there, or no file, is refused at once`() throws {
    let missing = folder.appending(path: "none").path
    let error = #expect(throws: FunnelError.self) { try SchemaDirectory.load(missing) }
    #expect(error == FunnelError(.noInput, "\(missing): no such file or directory, check the path"))
    let fifo = folder.appending(path: "fifo.json").path
    #expect(mkfifo(fifo, 0o600) == 0)
    for path in [fifo, "/dev/null"] {
      let error = #expect(throws: FunnelError.self) { try SchemaDirectory.load(path) }
      #expect(
        error
          == FunnelError(
            .configuration, "\(path): neither a file nor a directory, give a flow definition or a directory of them"))
    }
    // The same FIFO inside a directory must not block either.
    #expect(throws: FunnelError.self) { try SchemaDirectory.load(folder.path) }
  }

  @Test func `a file beyond the limit is not read into memory`() throws {
    try write("a.json", String(repeating: " ", count: Limits.configurationBytesMax + 1))
    let error = #expect(throws: FunnelError.self) { try SchemaDirectory.load(folder.path) }
    #expect(
      error?.message
        == "\(folder.path)/a.json: larger than 4194304 bytes, too large for a flow definition; check that it is the right file")
  }

  @Test func `definitions of the user replace those of the store, and these the built-in ones`() throws {
    let built = try FlowCatalog.loading()
    try write("a.json", flow("a", title: "user"))
    try write("flows/a.json", flow("a", version: 2, title: "store"))
    let storeFolder = folder.appending(path: "store")
    try FileManager.default.createDirectory(at: storeFolder, withIntermediateDirectories: true)
    try write("store/a.json", flow("a", title: "store"))
    try write(
      "store/cleaner.json", #"{"app":"cleaner","flow":"permissions_flow","version":1,"title":"mine","steps":[{"id":"s"}]}"#)
    let catalog = try FlowCatalog.loading(
      ofStore: SchemaDirectory.load(storeFolder.path), directories: [folder.path])
    #expect(catalog.definitions.count == built.definitions.count + 2)
    #expect(catalog.definition(app: "a", flow: "f", version: 1)?.title == "user")
    #expect(catalog.definition(app: "cleaner", flow: "permissions_flow")?.title == "mine")
    #expect(built.definition(app: "cleaner", flow: "permissions_flow")?.title == "Permissions")
  }

  @Test func `a store without schemas has the built-in ones`() throws {
    #expect(try FlowCatalog.loading(ofStore: []).definitions == BuiltInSchemas.flows)
  }

  @Test func `two directories of the user that define the same version are refused, naming both files`() throws {
    try write("a.json", flow("a"))
    try write("flows/b.json", flow("a"))
    let flows = folder.appending(path: "flows").path
    let error = #expect(throws: FunnelError.self) { try FlowCatalog.loading(directories: ["\(folder.path)/a.json", flows]) }
    #expect(
      error
        == FunnelError(
          .configuration, "\(flows)/b.json: a/f@1 is also defined by \(folder.path)/a.json, remove one of the files"))
  }
}
