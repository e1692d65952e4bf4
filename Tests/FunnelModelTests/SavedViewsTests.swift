import FunnelModel
import Testing

/// The list of the views that a team keeps in a store.
@Suite struct SavedViewsTests {
  @Test func `a line is a name and an address, either in quotes`() {
    let views = SavedViews(
      #"""
      name,address
      # Our Monday
      Monday,/flows/a/b?since=7d
      "Paywall, by ""variant""",/flows/a/b/funnel?by=ctx.variant
       Conditions , "/flows/a/b?where=ctx.country=DE,FR"
      Sides,/flows/a/b/compare?sides=A,B

      """#)
    #expect(views.views.map(\.name) == ["Monday", "Paywall, by \"variant\"", "Conditions", "Sides"])
    #expect(
      views.views.map(\.address) == [
        "/flows/a/b?since=7d", "/flows/a/b/funnel?by=ctx.variant", "/flows/a/b?where=ctx.country=DE,FR",
        "/flows/a/b/compare?sides=A,B",
      ])
    #expect(views.brokenLineCount == 0)
  }

  @Test(arguments: ["no comma", "\"open,/a", ",/a", "name,", "\"a\"b,/c", "\"a\"\"", "\""])
  func `a line that is anything else is counted`(line: String) {
    let views = SavedViews("\(line)\nMonday,/\n")
    #expect(views.views.map(\.name) == ["Monday"] && views.views.map(\.address) == ["/"])
    #expect(views.brokenLineCount == 1)
  }

  @Test func `an empty list has nothing`() {
    #expect(SavedViews("").views.isEmpty && SavedViews("name,address\n").brokenLineCount == 0)
  }
}
