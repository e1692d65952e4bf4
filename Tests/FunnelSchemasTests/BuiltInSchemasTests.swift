import Foundation
import FunnelModel
import FunnelSchemas
import Testing

@Suite struct BuiltInSchemasTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Schemas").standardized

  @Test func `every file of Schemas is compiled in, byte for byte`() throws {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: Self.folder.path)
    let names = paths.filter { !$0.hasPrefix(".") && $0.contains(".") }.sorted()
    #expect(BuiltInSchemas.files.map(\.name) == names, "list the file in Sources/CSchemas/BuiltInFiles.c")
    for file in BuiltInSchemas.files {
      #expect(file.bytes == [UInt8](try Data(contentsOf: Self.folder.appending(path: file.name))), "\(file.name)")
    }
  }

  @Test func `every built-in flow reads without a mistake and is named by what it defines`() throws {
    for file in BuiltInSchemas.files where file.name.hasPrefix("flows/") {
      switch FlowDefinition.read(json: file.bytes, source: file.name) {
      case .success(let flow): #expect(file.name == "flows/\(flow.app).\(flow.flow).v\(flow.version).json")
      case .failure(let failure): Issue.record("\(failure.problems.map(\.description))")
      }
    }
    #expect(BuiltInSchemas.flows.count == BuiltInSchemas.files.count { $0.name.hasPrefix("flows/") })
  }

  @Test func `the catalog of built-in flows knows the four apps`() throws {
    let catalog = try FlowCatalog.loading()
    #expect(Set(catalog.definitions.map(\.app)).isSuperset(of: ["clarity", "cleaner", "smilepile", "trendy"]))
    #expect(catalog.definition(app: "clarity", flow: "onboarding")?.steps.count == 9)
    #expect(catalog.definition(app: "clarity", flow: "onboarding", version: 1)?.steps.count == 7)
    #expect(catalog.definition(app: "clarity", flow: "prosocial_challenge")?.countBy == .attempt)
  }

  @Test func `every JSON file beside the flows is a JSON document`() throws {
    for file in BuiltInSchemas.files where file.name.hasSuffix(".json") {
      #expect(throws: Never.self, "\(file.name)") { try JSONDocument(parsing: file.bytes) }
    }
    #expect(BuiltInSchemas.jsonSchemas.count >= 4)
  }

  @Test(arguments: ["email", "contact_name", "phone", "ssid", "ip", "latitude", "idfa", "contactIdentifier", "Phone-Number"])
  func `the built-in privacy list names personal keys`(key: String) {
    let isPersonal = BuiltInSchemas.privacy.isPersonal(key: Array(key.utf8).span)
    #expect(isPersonal)
  }

  @Test func `no built-in flow declares a property that privacy forbids`() {
    for flow in BuiltInSchemas.flows {
      for key in flow.events.flatMap(\.props.keys) {
        let isPersonal = BuiltInSchemas.privacy.isPersonal(key: Array(key.utf8).span)
        #expect(!isPersonal, "\(flow.reference) \(key)")
      }
    }
  }
}
