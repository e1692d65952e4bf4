import Foundation
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

@Suite struct AtomicFileTests {
  @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm")))
  func `a file in memory that is mounted below dev is a file like any other`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    try AtomicFile.write(StoragePath(folder.path("a")), [1, 2])
    try AtomicFile.write(StoragePath(folder.path).inside("b"), [3])
    try AtomicFile.write(StoragePath(folder.path("a")), [4])
    #expect(try folder.contents("a") == [4])
    #expect(try folder.files() == ["a", "b"])
  }

  private let folder: TemporaryFolder
  private var path: StoragePath { StoragePath(folder.path("report.html")) }

  init() throws { folder = try TemporaryFolder() }

  @Test func aFileIsMadeAndReplaced() throws {
    try AtomicFile.write(path, [1, 2, 3])
    #expect(try folder.contents("report.html") == [1, 2, 3])
    try AtomicFile.write(path, [4])
    #expect(try folder.contents("report.html") == [4])
    #expect(try folder.files() == ["report.html"])
  }

  @Test func brokenOffAnywhereItLeavesTheOldFileOrTheNewOne() throws {
    let counter = FaultyFileSystem()
    try AtomicFile.write(path, [1, 2, 3], fileSystem: counter)
    for call in 1...counter.calls {
      for fault in [.killBefore(call: call), .killAfter(call: call), .killDuring(call: call), .failure(atCall: call)]
        as [FaultyFileSystem.Fault]
      {
        let folder = try TemporaryFolder()
        try folder.write([9], to: "report.html")
        let fileSystem = FaultyFileSystem(fault)
        #expect(throws: FunnelError.self) {
          try AtomicFile.write(StoragePath(folder.path("report.html")), [1, 2, 3], fileSystem: fileSystem)
        }
        #expect([[9], [1, 2, 3]].contains(try folder.contents("report.html")), "\(fault)")
        // A kill may leave a temporary file, which must not hinder the next write; a failure must leave nothing.
        if case .failure = fault { #expect(try folder.files() == ["report.html"], "\(fault)") }
        try AtomicFile.write(StoragePath(folder.path("report.html")), [5])
        #expect(try folder.contents("report.html") == [5], "\(fault)")
      }
    }
  }

  @Test func aFolderInItsPlaceIsAnError() {
    #expect(throws: FunnelError(.cannotCreate, "cannot write \(folder.path): it is a folder, name a file")) {
      try AtomicFile.write(StoragePath(folder.path), [1])
    }
  }

  @Test func aMissingFolderIsAnErrorThatNamesTheFile() {
    let path = folder.path("none/report.html")
    #expect(
      throws: FunnelError(.cannotCreate, "cannot create \(path): No such file or directory, create its folder first")
    ) {
      try AtomicFile.write(StoragePath(path), [1])
    }
  }

  @Test func aLinkOfTheUsersStaysOne() throws {
    try folder.write([1], to: "target")
    try FileManager.default.createSymbolicLink(atPath: folder.path("report.html"), withDestinationPath: folder.path("target"))
    try AtomicFile.write(path, [2])
    #expect(try folder.contents("target") == [2])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("report.html")) == folder.path("target"))
  }

  @Test func aDeviceIsWrittenToAndNotReplaced() throws {
    try AtomicFile.write(StoragePath("/dev/null"), [1, 2, 3])
    let type = try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
    #expect(type == .typeCharacterSpecial)
  }

  @Test func whoMayReadItIsSaid() throws {
    try AtomicFile.write(StoragePath(folder.path("own")), [1], permissions: .owner)
    try AtomicFile.write(StoragePath(folder.path("shared")), [1], permissions: .shared)
    func mode(_ name: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
    }
    #expect(try mode("own") == 0o600)
    let mask = umask(0)
    umask(mask)
    #expect(try mode("shared") == 0o666 & ~Int(mask))
  }
}
