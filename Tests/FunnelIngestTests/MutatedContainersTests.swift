import FunnelDecoding
import FunnelIngest
import FunnelTestSupport
import Testing

@Suite struct MutatedContainersTests {
  private struct Unexpected: Error {}

  @Test(arguments: ["t.json", "t.csv"])
  func `no array, spread object or table does harm, and pieces make no difference`(name: String) throws {
    let samples = [
      "[{\"a\":{\"b\":[1,\"x\"]},\"c\":null},\n{\n  \"d\": true\n}\n]", "{\n  \"a\": \"\\\"\"\n}\n{\n  \"b\": {}\n}\n",
      "a,b;c\n1,\"x\r\n\"\"y\",3\n\n4,5,6\r\n", "\u{FEFF}a\tb\r1\t2\r",
    ].map { Array($0.utf8) }
    var number: UInt64 = 0
    let complaints = try MutationSweep("containers", samples: samples).run { bytes in
      let whole = SplitText(bytes, file: name)
      number += 1
      var random = SeededGenerator(seed: number)
      let pieces = SplitText(bytes, file: name, blockBytesTarget: 20) { Int.random(in: 1...20, using: &random) }
      guard pieces == whole else { throw Unexpected() }
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }
}
