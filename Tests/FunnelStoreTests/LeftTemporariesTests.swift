import FunnelStore
import FunnelTestSupport
import Testing

/// The temporary files that a killed command leaves.
@Suite struct LeftTemporariesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    _ = try StoreScenario.writer(folder.path("store")).commit(StoreScenario.batch(1))
    for name in ["damaged", "index"] { try folder.makeFolder("store/\(name)") }
  }

  @Test(arguments: ["", "log/", "schemas/", "damaged/", "index/"])
  func `the next writer removes them, in whatever folder of the store, and nothing else`(place: String) throws {
    for name in ["x.json", ".hidden", "x.tmp"] { try folder.write([1], to: "store/\(place)\(name)") }
    let files = try folder.files()
    try folder.write([1], to: "store/\(place).x.json.a1.tmp")
    #expect(try folder.files() != files)
    #expect(try StoreScenario.writer(folder.path("store")).recovery == nil)
    #expect(try folder.files() == files)
  }

  @Test func `an index that is no folder keeps no command from writing`() throws {
    try folder.remove("store/index")
    try folder.write([1], to: "store/index")
    _ = try StoreScenario.writer(folder.path("store")).commit(StoreScenario.batch(2))
    #expect(try folder.contents("store/index") == [1])
  }
}
