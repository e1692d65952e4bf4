@testable import FunnelModel
import FunnelTestSupport

/// Logs that are hard to index: ties, ids of all forms, times far apart, kinds that depend on properties, keys with many
/// values.
enum RandomHistories {
  /// Returns the built-in flows, one whose steps depend on properties, an older version of it, and one that folds the events of
  /// both.
  static func catalog() throws -> FlowCatalog {
    let tour = try FlowFile(
      json: Array(
        #"""
        {"app":"cleaner","flow":"tour","version":1,"title":"Tour","count_by":"attempt","steps":[
          {"id":"screen","label":"A screen"},
          {"id":"sized","label":"By a property","entered_by":[{"event":"opened","where":{"props.size":2}}]},
          {"id":"both","label":"By two","entered_by":[{"event":"opened","where":{"props.size":1,"ctx.variant":"A"}}]},
          {"id":"end","label":"End","optional":true,"entered_by":["closed"]}],
         "upcasts":[{"from":"shown","to":{"name":"step_viewed","step":"$props.screen"}},{"from":"old_open","to":{"name":"opened"}}]}
        """#.utf8), name: "tour.json")
    var old = tour
    old.definition.version = 0
    old.definition.appVersions = VersionRange("<2.5")
    old.definition.countBy = .subject
    var again = tour
    again.definition.flow = "tour_again"
    again.definition.countBy = .subject
    again.definition.fromFlows = .flows(["tour"])
    again.definition.steps.reverse()
    again.definition.upcasts = [
      .init(
        from: "shown",
        targets: [
          .init(name: "closed"),
          .init(
            name: "opened",
            props: [
              "size": .mapped(.property("size"), .init(values: ["1": .integer(2), "3": .string("three")])),
              "screen": .literal(.string("mapped")),
            ]),
        ])
    ]
    return try FlowCatalog(layers: [Journeys.builtIn.files, [old, tour, again]])
  }

  static func lines(_ count: Int, using random: inout SeededGenerator) -> [String] {
    let plain = RandomEvents.lines(count / 2, .init(hasBadLines: false), using: &random)
    return (plain + (0..<count / 2).map { tourEvent($0, using: &random) }).shuffled(using: &random)
  }

  private static func tourEvent(_ number: Int, using random: inout SeededGenerator) -> String {
    // Times are up to 100 days apart, so that some do not fit 32 bits, but the same few times are frequent.
    let day = [0, 0, 0, 1, 49, 50, 100].randomElement(using: &random) ?? 0
    let time = 1_786_000_000_000 + day * 86_400_000 + Int.random(in: 0..<3, using: &random) * 500
    let name = ["opened", "old_open", "shown", "closed", "step_viewed"].randomElement(using: &random) ?? "opened"
    var fields = ["\"app\":\"cleaner\",\"name\":\"\(name)\",\"ts\":\(time)"]
    if Int.random(in: 0..<4, using: &random) > 0 { fields.append("\"flow\":\"tour\"") }
    if Int.random(in: 0..<8, using: &random) == 0 { fields.append("\"flow_version\":1") }
    fields.append("\"subject\":\"t\(Int.random(in: 0..<15, using: &random))\"")
    fields.append("\"id\":\"\(id(number, using: &random))\"")
    if name == "step_viewed" { fields.append("\"step\":\"screen\"") }
    if Bool.random(using: &random) { fields.append("\"seq\":\(Int64.random(in: 0...2, using: &random))") }
    if Bool.random(using: &random) { fields.append("\"attempt\":\"\(Int.random(in: 0..<3, using: &random))\"") }
    var props = ["\"size\":\(Int.random(in: 0..<4, using: &random))"]
    if Bool.random(using: &random) { props.append("\"screen\":\"\(["screen", "other"].randomElement(using: &random) ?? "")\"") }
    if Bool.random(using: &random) {
      props.append("\"odd\":\(["null", "true", "-1.5", "\"é\\n\"", "9e300"].randomElement(using: &random) ?? "0")")
    }
    fields.append("\"props\":{\(props.shuffled(using: &random).joined(separator: ","))}")
    var context: [String] = []
    if Bool.random(using: &random) { context.append("\"variant\":\"\(Bool.random(using: &random) ? "A" : "B")\"") }
    if Bool.random(using: &random) {
      context.append(
        "\"app_version\":\([#""2.4""#, #""2.10""#, "2.4", "3", #""dev""#, "null"].randomElement(using: &random) ?? "1")")
    }
    if Bool.random(using: &random) { fields.append("\"ctx\":{\(context.joined(separator: ","))}") }
    return "{\(fields.joined(separator: ","))}"
  }

  /// Returns an id that another event may have: a UUID, hexadecimal digits, or a text that is nearly one of them.
  private static func id(_ number: Int, using random: inout SeededGenerator) -> String {
    let digits = String(number % 64, radix: 16)
    let hex = String(repeating: "a", count: 32 - digits.count) + digits
    let uuid = "0123abcd-0000-7000-8000-" + String(hex.suffix(12))
    return [uuid, uuid.uppercased(), hex, hex.uppercased(), String(hex.dropLast()) + "g", "e\(number % 64)"]
      .randomElement(using: &random) ?? hex
  }

  /// Returns a random query.
  static func query(using random: inout SeededGenerator) -> ReportQuery {
    var query = ReportQuery(now: Journeys.now)
    if Int.random(in: 0..<4, using: &random) == 0 { query.now = Timestamp(milliseconds: 1_786_000_000_000 + 40 * 86_400_000) }
    if Bool.random(using: &random) {
      query.since = Timestamp(milliseconds: 1_786_000_000_000 + Int64.random(in: 0..<110, using: &random) * 86_400_000)
    }
    if Bool.random(using: &random) {
      query.until = Timestamp(milliseconds: 1_786_000_000_000 + Int64.random(in: 0..<110, using: &random) * 86_400_000)
    }
    if Bool.random(using: &random) { query.countBy = Bool.random(using: &random) ? .attempt : .subject }
    let dimensions: [Dimension] = [
      .context("variant"), .property("size"), .property("odd"), .property("screen"), .day, .context("nothing"), .version,
      .step(id: "sized", .property("size")), .step(id: "screen", .context("variant")),
    ]
    query.by = Array(dimensions.shuffled(using: &random).prefix(Int.random(in: 0...2, using: &random)))
    if Int.random(in: 0..<3, using: &random) == 0 {
      query.conditions = ["ctx.variant=A", "props.size!=2", "props.trigger=first_launch"].compactMap { SegmentCondition($0) }
        .shuffled(using: &random).suffix(1)
    }
    query.order = StepOrder.allCases.randomElement(using: &random) ?? .ordered
    return query
  }
}
