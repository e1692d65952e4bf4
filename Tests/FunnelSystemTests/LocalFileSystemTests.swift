import Foundation
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

@Suite struct LocalFileSystemTests {
  private let folder: TemporaryFolder
  private let disk = LocalFileSystem()

  init() throws { folder = try TemporaryFolder() }

  @Test func whatIsMissingIsNoInput() {
    let path = folder.path("none")
    #expect(throws: FunnelError(.noInput, "cannot read \(path): No such file or directory, check the path")) {
      try disk.open(StoragePath(path), for: .read)
    }
  }

  @Test func aFullDiskIsAnInputOutputError() throws {
    let file = try disk.open(StoragePath("/dev/full"), for: .update)
    #expect(
      throws: FunnelError(
        .inputOutput, "cannot write /dev/full: No space left on device, free some space and run the command again")
    ) {
      try disk.write([1], to: file, at: 0)
    }
  }

  @Test func aServerIsNotAdvisedToRunAgain() throws {
    let file = try disk.open(StoragePath("/dev/full"), for: .update)
    #expect {
      try disk.write([1], to: file, at: 0)
    } throws: { error in
      (error as? FunnelError)?.messageOfServer == "cannot write /dev/full: No space left on device, free some space"
    }
    #expect(FunnelError(.usage, "choose another name").messageOfServer == "choose another name")
  }

  @Test func whatCannotBeMadeSaysSo() throws {
    try folder.write([1], to: "taken")
    let path = folder.path("taken")
    #expect(throws: FunnelError(.cannotCreate, "cannot create \(path): File exists, choose another name")) {
      try disk.open(StoragePath(path), for: .create(.owner))
    }
  }

  @Test func bytesAreWrittenReadAndCutWhereTheyAreSaidToBe() throws {
    let file = try disk.open(StoragePath(folder.path("file")), for: .updateOrCreate)
    try disk.write([1, 2, 3, 4], to: file, at: 0)
    try disk.write([9, 8], to: file, at: 3)
    #expect(try disk.read(file, at: 1, count: 100) == [2, 3, 9, 8])
    try disk.truncate(file, to: 2)
    try disk.sync(file)
    #expect(try folder.contents("file") == [1, 2] && disk.size(of: file) == 2)
    #expect(throws: FunnelError.self) { try disk.readAll(StoragePath(folder.path("file")), bytesMax: 1) }
  }

  @Test func `whoever makes the same folders at the same time finds them`() throws {
    for round in 0..<300 {
      let path = StoragePath(folder.path("\(round)/a/b"))
      let failures = Guarded<[FunnelError]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        do throws(FunnelError) {
          try disk.createDirectories(path)
        } catch {
          failures.withLock { $0.append(error) }
        }
      }
      let errors = failures.withLock { $0.map(\.message) }
      #expect(errors == [], "round \(round)")
      #expect(try disk.status(of: path)?.kind == .directory)
    }
  }

  @Test func foldersAreMadeListedAndRemoved() throws {
    let root = StoragePath(folder.path)
    #expect(try disk.createDirectories(root.inside("b")))
    #expect(try disk.createDirectories(StoragePath(folder.path("a/deep/folder/"))))
    #expect(try !disk.createDirectories(root))
    #expect(try disk.list(root) == ["a", "b"])
    try disk.removeDirectory(root.inside("b"))
    try disk.syncDirectory(root)
    #expect(try disk.list(root) == ["a"] && disk.status(of: root.inside("b/c")) == nil)
    #expect(try disk.status(of: root.inside("a"))?.kind == .directory)
  }

  @Test func insideABaseNoLinkIsFollowedAnywhere() throws {
    try folder.write([1], to: "target")
    try FileManager.default.createDirectory(atPath: folder.path("base"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: folder.path("base/file"), withDestinationPath: folder.path("target"))
    try FileManager.default.createSymbolicLink(atPath: folder.path("base/folder"), withDestinationPath: folder.path)
    let base = StoragePath(folder.path("base"))
    for access in [.read, .update, .updateOrCreate] as [FileAccess] {
      #expect {
        try disk.open(base.inside("file"), for: access)
      } throws: { ($0 as? FunnelError)?.message.contains("not allowed inside a store") == true }
      #expect(throws: FunnelError.self) { try disk.open(base.inside("folder/target"), for: access) }
    }
    #expect(try disk.status(of: base.inside("file"))?.kind == .link)
    #expect(throws: FunnelError.self) { try disk.createDirectory(base.inside("folder/new")) }
    #expect(throws: FunnelError.self) { try disk.list(base.inside("folder")) }
    // A link in a path that the user names is followed.
    #expect(try disk.readAll(StoragePath(folder.path("base/file")), bytesMax: 10) == [1])
  }

  @Test func oneOpenFileHasTheLock() throws {
    let path = StoragePath(folder.path("lock"))
    var first: File? = try disk.open(path, for: .updateOrCreate)
    let second = try disk.open(path, for: .updateOrCreate)
    #expect(try disk.tryLock(try #require(first)))
    #expect(try !disk.tryLock(second))
    first = nil
    #expect(try disk.tryLock(second))
  }

  @Test func resultsOfParallelWorkStandInOrderAndTheFirstErrorWins() throws {
    #expect(try Parallel.map(count: 100, threads: 4) { $0 * $0 } == (0..<100).map { $0 * $0 })
    #expect(try Parallel.map(count: 0, threads: 4) { $0 }.isEmpty)
    #expect(throws: FunnelError(.usage, "3")) {
      try Parallel.map(count: 100, threads: 1) { (index) throws(FunnelError) in
        if index >= 3 { throw FunnelError(.usage, "\(index)") }
      }
    }
  }
}
