import FunnelTestSupport
import Testing

/// Runs the commands that README and Documentation show, and compares their output. The blocks of all pages form one session,
/// in the order in which a reader meets them.
@Suite struct ConsoleBlockTests {
  private static let pages = [
    "README.md", "Documentation/DEAD_LETTERS.md", "Documentation/NIGHTLY.md", "Documentation/PRIVACY.md",
    "Documentation/STORE.md", "Documentation/REPORTS.md", "Documentation/APP.md", "Documentation/IMPORTING.md",
  ]
  private static let flows = "Documentation/FLOWS.md"
  private static let cluster = "Documentation/CLUSTER.md"
  private static let database = "Documentation/DATABASE.md"

  @Test func `every command of the pages prints what stands below it`() throws {
    let place = try Workplace()
    var count = 0
    for block in try Self.pages.flatMap({ try ConsoleBlock.blocks(of: $0) }) { count += try run(block, in: place) }
    // This fails if the pages' blocks are no longer recognized.
    #expect(count >= 12)
  }

  @Test func `every command of the page on several machines prints what stands below it`() throws {
    let place = try Workplace()
    for block in try ConsoleBlock.blocks(of: Self.cluster) { #expect(try run(block, in: place) >= 10) }
  }

  #if FUNNEL_DATABASE
    // A page of its own session: it needs the program's database.
    @Test func `every command of the page on the database prints what stands below it`() throws {
      let place = try Workplace()
      for block in try ConsoleBlock.blocks(of: Self.database) { #expect(try run(block, in: place) >= 3) }
    }
  #endif

  @Test func `the definition of the page on flows is sound, and with three slips each is found`() throws {
    let place = try Workplace()
    let blocks = try ConsoleBlock.blocks(of: Self.flows)
    try #require(blocks.count == 2)
    let definition = try ConsoleBlock.first("json", of: Self.flows)
    let slips = [("\"7d\"", "\"1 week\""), ("\"optional\"", "\"optionl\""), ("\"first_note\"", "\"first note\"")]
    let broken = slips.reduce(definition) { $0.replacing($1.0, with: $1.1) }
    for (text, block) in zip([definition, broken], blocks) {
      try place.write(text, to: "my-flows/notes.onboarding.v1.json")
      #expect(try run(block, in: place) == 1)
    }
  }

  /// Runs the commands of a block, and compares their output.
  ///
  /// - Returns: The number of commands that were run. Commands whose program is not installed are skipped.
  private func run(_ block: ConsoleBlock, in place: Workplace) throws -> Int {
    var count = 0
    for command in block.commands {
      let words = command.line.split(separator: " ").map(String.init)
      // If a page shows a file with `cat`, the file is created with the content shown.
      if words[0] == "cat", words.count == 2 { try place.write(command.output, to: words[1]) }
      let script = "funnel() { \"$FUNNEL\" \"$@\"; }; exec 2>&1; LC_ALL=C; export LC_ALL; \(command.line)"
      guard try isInstalled(words[0]) else { continue }
      let output = try FunnelRun(shell: script, directory: place.url).output
      #expect(shown(output, as: command.output) == command.output, "\(block.page):\(block.line): \(command.line)")
      count += 1
    }
    return count
  }

  private func isInstalled(_ program: String) throws -> Bool {
    try program == "funnel" || FunnelRun(shell: "command -v \(program)").status == 0
  }

  /// Returns an output, cut where the page ends its own copy with an ellipsis.
  private func shown(_ output: String, as page: String) -> String {
    let ellipsis = "…\n"
    guard page.hasSuffix(ellipsis) else { return output }
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false).count - 2
    return output.split(separator: "\n", omittingEmptySubsequences: false).prefix(lines).joined(separator: "\n") + "\n"
      + ellipsis
  }
}
