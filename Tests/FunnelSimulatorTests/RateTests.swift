import FunnelModel
import FunnelSimulator
import Testing

/// The counts of 6,000 subjects for each app, made once for all tests of rates.
private let aggregate: Result<Aggregate, any Error> = Result {
  let flows = ["cleaner/permissions_flow", "trendy/onboarding", "clarity/onboarding", "smilepile/onboarding"]
  var aggregate = Aggregate()
  _ = try Simulation(.sample(flows, subjects: 6000, seed: 20_000, days: 30)).run { chunk in aggregate.add(chunk) }
  return aggregate
}

@Suite struct RateTests {
  @Test(arguments: [
    ("cleaner", "photos", 0.60...0.75), ("cleaner", "contacts", 0.35...0.50), ("cleaner", "push", 0.45...0.56),
    ("trendy", "notifications", 0.45...0.56), ("trendy", "location", 0.50...0.65),
  ])
  func `grant rates are those of real apps`(app: String, permission: String, range: ClosedRange<Double>) throws {
    let counts = try aggregate.get().permissions["\(app) \(permission)"] ?? Aggregate.Answers()
    #expect(counts.prompted > 1500)
    #expect(range.contains(counts.share(counts.granted + counts.limited, of: counts.prompted)))
    #expect((0.58...0.77).contains(counts.share(counts.dialogs, of: counts.prompted)))
    #expect((0.73...0.92).contains(counts.share(counts.granted + counts.limited, of: counts.dialogs)))
  }

  @Test(arguments: [("contacts", 0.35...0.50), ("location", 0.50...0.65)])
  func `where there is no way past the pre-prompt as many grant, and the others deny`(
    permission: String, range: ClosedRange<Double>
  ) throws {
    let counts = try #require(try aggregate.get().permissions["clarity \(permission)"])
    #expect(counts.prompted > 1500)
    #expect(range.contains(counts.share(counts.granted + counts.limited, of: counts.prompted)))
    #expect((0.93...0.99).contains(counts.share(counts.dialogs, of: counts.prompted)))
  }

  @Test func `15 to 25 percent of photo access is limited`() throws {
    let photos = try #require(try aggregate.get().permissions["cleaner photos"])
    #expect((0.15...0.25).contains(photos.share(photos.limited, of: photos.granted + photos.limited)))
  }

  @Test(arguments: ["photos", "contacts", "push"])
  func `variant B persuades a few points more`(permission: String) throws {
    let variants = try aggregate.get().variants
    let a = try #require(variants["cleaner \(permission) A"])
    let b = try #require(variants["cleaner \(permission) B"])
    let effect = b.share(b.dialogs, of: b.prompted) - a.share(a.dialogs, of: a.prompted)
    #expect((0.02...0.08).contains(effect))
  }

  @Test(arguments: [
    [
      "cleaner 1 perm_flow_start", "cleaner 1 perm_photos_pre_prompt_shown", "cleaner 1 perm_contacts_pre_prompt_shown",
      "cleaner 1 perm_flow_completed",
    ],
    ["welcome", "auth", "create_event_type", "log_first_event", "permissions", "finish"].map { "trendy 1 \($0)" },
    ["welcome", "assessment", "health_permission", "app_selection", "goal_setting", "intention_builder", "ready"].map {
      "clarity 1 \($0)"
    },
    [
      "welcome", "assessment", "health_permission", "app_selection", "important_people", "home_base", "goal_setting",
      "intention_builder", "ready",
    ].map { "clarity 2 \($0)" },
    ["welcome", "categories", "photo_import", "pin_setup", "complete"].map { "smilepile 1 \($0)" },
    ["welcome", "categories", "pin_setup", "complete"].map { "smilepile 2 \($0)" },
  ])
  func `75 to 95 percent survive each step`(steps: [String]) throws {
    let reached = try steps.map { try aggregate.get().subjectsAtStep[$0, default: []].count }
    #expect(reached[0] > 1500)
    for (before, after) in zip(reached, reached.dropFirst()) {
      #expect((0.74...0.955).contains(Double(after) / Double(before)), "\(reached)")
    }
  }

  @Test func `some come back the next day, most within minutes`() throws {
    let gaps = try aggregate.get().gaps
    let total = Double(gaps.values.reduce(0, +))
    #expect((0.01...0.05).contains(Double(gaps["day", default: 0]) / total))
    #expect(Double(gaps["minutes", default: 0]) / total > 0.9)
  }

  @Test func `installs follow the rhythm of the day and the week`() throws {
    let hours = try aggregate.get().installHours
    #expect(hours[20] > 4 * hours[3])
    let weekdays = try aggregate.get().installWeekdays
    // 30 days from a Sunday on have five Sundays and Mondays, and four of each other weekday.
    #expect(Double(weekdays[7]) / 5 > 1.2 * Double(weekdays[3]) / 4)
  }
}
