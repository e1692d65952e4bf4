@testable import FunnelModel
import FunnelSchemas
import Testing

/// `Schemas/alerts.v1.schema.json` tells editors what `--alerts` accepts: both must agree on the same rules and on mistakes in them.
@Suite struct AlertSchemaAgreementTests {
  private static let everything = """
    {"alpha":0.01,"rules":[{"flow":"cleaner/permissions_flow","metric":"conversion","min":0.4},
                           {"flow":"trendy/onboarding@2","metric":"reached:photos","max":0.9,"change":0.1},
                           {"flow":"a/b@10","metric":"grant_rate:push","min":0,"max":1,"change":0}]}
    """

  @Test func `rules, and a slip of the pen anywhere in them, are the same to both`() throws {
    let file = try #require(BuiltInSchemas.jsonSchemas.first { $0.name == "alerts.v1.schema.json" })
    let checker = JSONSchemaChecker(try JSONDocument(parsing: file.bytes))
    let root = try JSONDocument(parsing: Array(Self.everything.utf8)).root
    let slips = FlowSchemaAgreementTests.slips(of: root).map(\.compactText)
    var accepted = 0
    for text in [Self.everything] + slips {
      let bytes = Array(text.utf8)
      let isSound = (try? AlertRules(parsing: bytes, source: "rules.json")) != nil
      #expect(try checker.accepts(JSONDocument(parsing: bytes)) == isSound, "\(text)")
      if isSound { accepted += 1 }
    }
    #expect(accepted > 1 && accepted < slips.count / 2)
  }
}
