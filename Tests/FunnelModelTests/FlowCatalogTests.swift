@testable import FunnelModel
import Testing

@Suite struct FlowCatalogTests {
  private func file(
    _ app: String, _ flow: String, _ version: Int, title: String = "t", name: String = "x.json", steps: [FlowStep] = [],
    events: [FlowDefinition.EventDeclaration] = [], outcomes: [FlowDefinition.Outcome] = [],
    upcasts: [FlowDefinition.Upcast] = [], appVersions: String? = nil,
    fromFlows: FlowDefinition.FlowSources = .flows([])
  ) -> FlowFile {
    var definition = FlowDefinition(
      app: app, flow: flow, version: version, title: title, window: TimeSpan(milliseconds: 1), countBy: .subject, steps: steps,
      events: events, outcomes: outcomes, upcasts: upcasts)
    definition.appVersions = appVersions.flatMap { VersionRange($0) }
    definition.fromFlows = fromFlows
    return FlowFile(definition: definition, name: name)
  }

  private func screen(_ id: String, asks: [String] = []) -> FlowStep {
    FlowStep(id: id, label: id, kind: .screen, isOptional: false, asks: asks)
  }

  @Test func `definitions are sorted by app, flow and number of version`() throws {
    let catalog = try FlowCatalog(layers: [[file("b", "a", 1), file("a", "b", 10), file("a", "b", 9), file("a", "a", 2)]])
    #expect(catalog.definitions.map(\.reference) == ["a/a@2", "a/b@9", "a/b@10", "b/a@1"])
    #expect(catalog.definition(app: "a", flow: "b")?.version == 10)
    #expect(catalog.definition(app: "a", flow: "b", version: 9)?.version == 9)
    #expect(catalog.definition(app: "a", flow: "b", version: 8) == nil)
    #expect(catalog.definition(app: "a", flow: "c") == nil)
    #expect(catalog.definitions(ofApp: "a").count == 3)
    #expect(catalog.indices(of: FlowReference(app: "a", flow: "b")) == [1, 2])
    #expect(catalog.indices(of: FlowReference(app: "a", flow: "b", version: 10)) == [2])
    #expect(catalog.indices(of: FlowReference(app: "x", flow: "b")) == [])
  }

  @Test func `the same flow version twice in one layer is refused, naming both files`() {
    let error = #expect(throws: FunnelError.self) {
      try FlowCatalog(layers: [[file("a", "f", 1, name: "one.json"), file("a", "f", 2), file("a", "f", 1, name: "two.json")]])
    }
    #expect(error?.code == .configuration)
    #expect(error?.message == "two.json: a/f@1 is also defined by one.json, remove one of the files")
  }

  @Test func `a later layer replaces what an earlier one says of the same version only`() throws {
    let catalog = try FlowCatalog(layers: [
      [file("a", "f", 1, title: "built-in"), file("a", "f", 2, title: "built-in")], [file("a", "f", 1, title: "store")],
      [file("a", "f", 1, title: "user"), file("a", "g", 1, title: "user")],
    ])
    #expect(catalog.definitions.map(\.title) == ["user", "built-in", "user"])
  }

  @Test func `a flow declares what specification section 6 lists, and nothing else`() throws {
    let steps = [
      screen("welcome", asks: ["family_controls"]),
      FlowStep(id: "photos", label: "", kind: .permission("photos"), isOptional: false),
      FlowStep(id: "done", label: "", kind: .event([EventPattern(event: "finished")]), isOptional: false),
    ]
    let outcome = FlowDefinition.Outcome(name: "won", label: "", events: ["challenge_won"], isSuccess: true)
    let catalog = try FlowCatalog(layers: [
      [
        file(
          "a", "f", 1, steps: steps, events: [.init(name: "extra")], outcomes: [outcome],
          upcasts: [.init(from: "old_step", name: "target")])
      ]
    ])
    for name in ["finished", "extra", "challenge_won", "old_step", "perm_photos_granted", "perm_family_controls_enable_tapped"]
    {
      #expect(catalog.declares(0, name: name, step: nil), "\(name)")
    }
    for name in [
      "won", "target", "perm_photos", "perm_photos_", "perm_push_granted", "step_viewed", "perm_photosx_granted",
      "perm_photos_authorized", "perm_photos_restricted", "perm_family_controls_status",
    ] {
      #expect(!catalog.declares(0, name: name, step: nil), "\(name)")
    }
    for name in ["step_viewed", "step_back", "step_anything"] {
      #expect(catalog.declares(0, name: name, step: "welcome"), "\(name)")
      #expect(!catalog.declares(0, name: name, step: "elsewhere"), "\(name)")
    }
    #expect(!catalog.declares(0, name: "step", step: "welcome"))
  }

  @Test func `an event that enters a step with a certain step id is declared with that id alone`() throws {
    let onStep = { (step: PropertyValue) in [PropertyCondition(field: .step, value: step)] }
    let patterns = [
      EventPattern(event: "screen", conditions: onStep(.string("home"))),
      EventPattern(event: "launched", conditions: onStep(.null)), EventPattern(event: "never", conditions: onStep(.integer(3))),
    ]
    let step = FlowStep(id: "one", label: "", kind: .event(patterns), isOptional: false)
    let vocabulary = FlowVocabulary(file("a", "f", 1, steps: [step]).definition)
    #expect(vocabulary.declares(name: "screen", step: "home") && !vocabulary.declares(name: "screen", step: "one"))
    #expect(!vocabulary.declares(name: "screen", step: nil))
    #expect(vocabulary.declares(name: "launched", step: nil) && !vocabulary.declares(name: "launched", step: "home"))
    #expect(!vocabulary.declares(name: "never", step: nil) && !vocabulary.declares(name: "never", step: "3"))
    #expect(vocabulary.declares(name: "step_viewed", step: "one") && !vocabulary.declares(name: "step_viewed", step: "home"))
  }

  @Test func `a flow declares exactly twelve events of a permission`() {
    let vocabulary = FlowVocabulary(file("a", "f", 1, steps: [screen("one", asks: ["push"])]).definition)
    let suffixes = [
      "pre_prompt_shown", "enable_tapped", "skip_explained", "granted", "limited", "once", "while_using", "provisional",
      "ephemeral", "denied", "dialog_dismissed", "skipped",
    ]
    #expect(PermissionEventName.Suffix.allCases.map(\.rawValue) == suffixes)
    for suffix in suffixes { #expect(vocabulary.declares(name: "perm_push_\(suffix)", step: nil)) }
    #expect(vocabulary.eventNames.filter { $0.hasPrefix("perm_") } == suffixes.map { "perm_push_\($0)" }.sorted())
  }

  @Test func `an event is folded by every flow of its app that declares it, in the version its build chooses`() throws {
    let catalog = try FlowCatalog(layers: [
      [
        file("a", "f", 1, steps: [screen("one"), screen("gone")], appVersions: "<5.2"),
        file("a", "f", 2, steps: [screen("one")]),
        file("a", "g", 1, steps: [screen("one")]), file("b", "h", 1, steps: [screen("gone")]),
        file("a", "i", 1, steps: [screen("one"), screen("named")], fromFlows: .flows(["f"])),
        file("a", "j", 1, steps: [screen("two")], fromFlows: .all),
      ]
    ])
    func folding(_ step: String, flow: String? = nil, version: Int? = nil, build: String? = nil) -> [String] {
      catalog.versionChoices(app: "a", flow: flow, version: version).compactMap { choice in
        let index = choice.version(forApp: build.flatMap { DottedVersion($0) })
        let folds = catalog.aggregates(index, of: choice, flow: flow, name: "step_viewed", step: step)
        return folds ? catalog.definitions[index].reference : nil
      }
    }
    #expect(folding("one") == ["a/f@2", "a/g@1", "a/i@1"])
    #expect(folding("one", build: "5.1.9") == ["a/f@1", "a/g@1", "a/i@1"])
    #expect(folding("gone") == [])
    #expect(folding("gone", build: "4") == ["a/f@1"])
    #expect(folding("gone", build: "5.2") == [])
    #expect(folding("one", version: 1) == ["a/f@1", "a/g@1", "a/i@1"])
    #expect(folding("one", version: 2) == ["a/f@2"])
    #expect(folding("never") == [])
    // A flow that an event names folds it even if it does not declare it; other flows fold it if they declare it and may use
    // the events of that flow.
    #expect(folding("never", flow: "f") == ["a/f@2"])
    #expect(folding("one", flow: "f", version: 1) == ["a/f@1", "a/i@1"])
    #expect(folding("one", flow: "f", build: "5") == ["a/f@1", "a/i@1"])
    #expect(folding("one", flow: "g") == ["a/g@1"])
    #expect(folding("two", flow: "g") == ["a/g@1", "a/j@1"])
    #expect(folding("two", flow: "unheard_of") == ["a/j@1"])
    #expect(folding("one", flow: "f", version: 9) == ["a/i@1"])
  }

  @Test func `event names for suggestions hold what permissions and steps add`() {
    let definition = file("a", "f", 1, steps: [screen("one", asks: ["push"])], events: [.init(name: "extra")]).definition
    let names = FlowVocabulary(definition).eventNames
    #expect(NearestName.find("perm_push_grantd", in: names) == "perm_push_granted")
    #expect(NearestName.find("step_veiwed", in: names) == "step_viewed")
    #expect(NearestName.find("extr", in: names) == "extra")
  }

  @Test func `an unknown reference leads to the nearest one`() throws {
    let catalog = try FlowCatalog(layers: [[file("cleaner", "permissions_flow", 1), file("clarity", "onboarding", 2)]])
    #expect(catalog.nearestReference(to: FlowReference(app: "cleaner", flow: "permission_flow")) == "cleaner/permissions_flow")
    #expect(
      catalog.nearestReference(to: FlowReference(app: "clarity", flow: "onboarding", version: 9)) == "clarity/onboarding@2")
    #expect(catalog.nearestReference(to: FlowReference(app: "zzz", flow: "zzz")) == nil)
  }

  @Test(arguments: ["a/f", "a/f@1", "clarity/onboarding@12"])
  func `a reference prints as it was written`(text: String) {
    #expect(FlowReference(text)?.description == text)
  }

  @Test(arguments: [
    "", "a", "/", "a/", "/f", "a/f/g", "a/f@", "a/f@0", "a/f@-1", "a/f@+1", "a/f@1@2", "A/f", "a/f@x", "a @1/f",
  ])
  func `what is no reference is refused`(text: String) {
    #expect(FlowReference(text) == nil)
  }
}
