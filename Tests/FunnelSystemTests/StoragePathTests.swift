import FunnelSystem
import Testing

@Suite struct StoragePathTests {
  @Test(arguments: [("a/b", "a", "b"), ("b", ".", "b"), ("/b", "/", "b"), ("a/b/", "a", "b"), ("/", "/", "/"), ("", ".", ".")])
  func theParentAndNameOfAPathOfTheUsers(_ path: String, _ parent: String, _ name: String) {
    #expect(StoragePath(path).parent.description == parent)
    #expect(StoragePath(path).name == name)
  }

  @Test func whatIsInsideIsWrittenBehindTheBase() {
    let path = StoragePath("store/").inside("log").inside("dt=2026-11-20/part")
    #expect(path.description == "store/log/dt=2026-11-20/part")
    #expect(path.name == "part" && path.parent.inside == "log/dt=2026-11-20")
    #expect(path.parent.parent.parent == StoragePath("store/"))
  }

  @Test func aSiblingLiesInTheSameFolder() {
    #expect(StoragePath("out.html").sibling(named: "x").description == "./x")
    #expect(StoragePath("/out.html").sibling(named: "x").description == "/x")
    #expect(StoragePath("s").inside("log/a").sibling(named: "x").description == "s/log/x")
  }
}
